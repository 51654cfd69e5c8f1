"""Prints what examples/python/packetfilter.py lists, without running it: constants, functions, typed dicts, outputs."""

import ast
import json
import re
import sys
from typing import Any

ARGUMENT = re.compile(r"^        (\w+): (.*(?:\n            .*)*)", re.MULTILINE)


def words(text: str) -> str:
    return " ".join(text.split())


def source(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def function(node: ast.FunctionDef) -> list[dict[str, Any]]:
    section = (ast.get_docstring(node, clean=False) or "").partition("Args:\n")[2].partition("Raises:")[0]
    texts = {name: words(text) for name, text in ARGUMENT.findall(section)}
    listed = []
    for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults):
        assert argument.annotation is not None
        of_type = ast.unparse(argument.annotation)
        if default is not None:
            assert ast.unparse(default) == "None" and of_type.endswith(" | None"), argument.arg
            of_type = of_type.removesuffix(" | None")
        listed.append(
            {
                "name": argument.arg,
                "type": of_type,
                "required": default is None,
                "text": texts.pop(argument.arg, ""),
            }
        )
    assert list(texts) == ["name"], texts
    return listed


def members(node: ast.ClassDef) -> list[dict[str, Any]]:
    required = not any(keyword.arg == "total" for keyword in node.keywords)
    listed: list[dict[str, Any]] = []
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign):
            name, of_type = ast.unparse(statement.target), ast.unparse(statement.annotation)
            listed.append({"name": name, "type": of_type, "required": required, "text": ""})
        elif listed and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            listed[-1]["text"] = words(str(statement.value.value))
    return listed


tree = ast.parse(sys.stdin.read())
classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
json.dump(
    {
        "functions": {node.name: function(node) for node in functions if not node.name.startswith("_")},
        "members": {node.name: members(node) for node in classes},
        "assigned": {ast.unparse(node.targets[0]): source(node.value) for node in assigned},
    },
    sys.stdout,
)
