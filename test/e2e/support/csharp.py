"""Reads the C# files below a folder, and prints as JSON what does not parse, and what they declare: types, and the types of properties.

A parser, not a compiler: it knows no type that it does not read, and compares none.
"""

import json
import sys
from pathlib import Path

import tree_sitter_c_sharp
from tree_sitter import Language, Parser

TYPES = {"class_declaration", "struct_declaration", "enum_declaration", "interface_declaration", "record_declaration"}

parser = Parser(Language(tree_sitter_c_sharp.language()))
found = {"faults": [], "types": [], "properties": {}}


def text(node):
    return node.text.decode()


def walk(node, scope, file):
    if node.type == "ERROR" or node.is_missing:
        found["faults"].append(f"{file}:{node.start_point.row + 1}")
    name = node.child_by_field_name("name")
    if node.type == "namespace_declaration":
        scope = text(name)
    elif node.type in TYPES:
        scope = f"{scope}.{text(name)}"
        found["types"].append(scope)
    elif node.type == "property_declaration":
        found["properties"][f"{scope}.{text(name)}"] = text(node.child_by_field_name("type"))
    for child in node.children:
        walk(child, scope, file)


folder = Path(sys.argv[1])
for path in sorted(folder.rglob("*.cs")):
    walk(parser.parse(path.read_bytes()).root_node, "", path.relative_to(folder))
print(json.dumps(found))
