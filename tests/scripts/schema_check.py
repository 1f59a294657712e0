# SPDX-License-Identifier: GPL-2.0-or-later
"""schema_check SCHEMA - check each line of standard input against the schema

Supports the keywords of JSON Schema that etc/*.schema.json use, and reports others.
Prints faults, a line each, and exits 1; also a key of an object that the schema
does not name: all output is documented.
"""
import json
import os
import re
import sys

KNOWN = {"$schema", "$comment", "$defs", "$ref", "title", "description", "type", "required", "properties", "items", "enum", "const",
         "anyOf", "minimum", "maximum", "maxLength", "minLength", "maxItems", "minItems", "pattern",
         "additionalProperties", "exclusiveMaximum"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float),
         "integer": int}
folder = os.path.dirname(sys.argv[1])
files = {}


def load(name):
    if name not in files:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            files[name] = json.load(file)
    return files[name]


def is_a(value, kind):
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def check(value, schema, name, at):
    """Faults of the schema itself."""
    for word in set(schema) - KNOWN:
        yield f"{at}: schema_check does not know '{word}'"
    if "$ref" in schema:
        path, _, inside = schema["$ref"].partition("#")
        other = load(path or name)
        for step in inside.split("/")[1:]:
            other = other[step]
        yield from check(value, other, path or name, at)
    if "anyOf" in schema and all(list(check(value, one, name, at)) for one in schema["anyOf"]):
        yield f"{at}: none of anyOf"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_a(value, kind) for kind in kinds):
        yield f"{at}: {value!r} is no {' or '.join(kinds)}"
        return
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        yield f"{at}: {value!r} is not one of those"
    if is_a(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{at}: {value} is out of bounds"
    if isinstance(value, (str, list)) and len(value) > schema.get("maxLength" if isinstance(value, str) else "maxItems", len(value)):
        yield f"{at}: too long"
    if isinstance(value, (str, list)) and len(value) < schema.get("minLength" if isinstance(value, str) else "minItems", 0):
        yield f"{at}: too short"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} does not match"
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield from check(one, schema.get("items", {}), name, f"{at}[{i}]")
    if isinstance(value, dict):
        for key in set(schema.get("required", [])) - set(value):
            yield f"{at}: no {key}"
        for key, one in value.items():
            if key in schema.get("properties", {}):
                yield from check(one, schema["properties"][key], name, f"{at}.{key}")
            elif "properties" in schema:
                yield f"{at}: {key} is not in the schema"


own = os.path.basename(sys.argv[1])
bad = [text for line in sys.stdin for text in check(json.loads(line), load(own), own, "")]
print("\n".join(sorted(set(bad))))
sys.exit(bool(bad))
