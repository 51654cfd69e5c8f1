# Types lines into a shell at a terminal of its own, each with three TABs and Enter behind it, and prints what stood there:
#
#   python3 at_terminal.py SETUP LINE… -- SHELL…
#
# A line is done when the shell answers the next mark, which is computed, so that it is none that was typed. Control-C and Control-U end what a line
# has started or left open.
import os
import pty
import select
import sys

at = sys.argv.index("--")
setup, lines, shell = sys.argv[1], sys.argv[2:at], sys.argv[at + 1 :]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(shell[0], shell)
shown = b""


def say(text):
    os.write(terminal, text.encode())


def until(mark, asked):
    global shown
    start = len(shown)
    for tries in range(30):
        # What the line started or left open would swallow the question.
        say("\x03\x15\n" + asked if tries > 0 else asked)
        while select.select([terminal], [], [], 2)[0]:
            shown += os.read(terminal, 65536)
            if mark in shown[start:]:
                return
    sys.exit("waited for %r in vain: %r" % (mark, shown[-400:]))


say(setup + "\n")
until(b"ready-42", " printf 'ready-%s ' 42\n")
for number, line in enumerate(lines):
    say(line + "\t\t\t")
    say("\n")
    until(b"done-%d-42" % number, " printf 'done-%%s-42 ' %d\n" % number)
say("exit\n")
sys.stdout.write(shown.decode(errors="replace"))
