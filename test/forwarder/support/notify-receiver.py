"""A service manager that listens (sd_notify(3)): prints each message as a line of JSON, until it is ended."""

import array
import json
import os
import socket
import sys

manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
print(json.dumps("listens"), flush=True)
while True:
    message, others, _, _ = manager.recvmsg(4096, socket.CMSG_SPACE(16))
    # Who sends a barrier goes on when what came along is closed.
    for _, _, data in others:
        for descriptor in array.array("i", data[: len(data) - len(data) % 4]):
            os.close(descriptor)
    if message != b"BARRIER=1":
        print(json.dumps(message.decode()), flush=True)
