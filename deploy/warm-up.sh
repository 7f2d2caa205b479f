#!/bin/sh
# Compiles what the service and a build need, into NUMBA_CACHE_DIR, by a build of a few documents.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
export QUERYKIN_WORKSPACE="$folder/workspace"
cat > "$folder/documents.jsonl" <<'END'
{"id": "1", "title": "NASA", "text": "NASA leads space exploration with rockets and probes."}
{"id": "2", "title": "ESA", "text": "The European agency ESA explores space with rockets and probes."}
{"id": "3", "title": "Apple pie", "text": "An apple pie is baked in the oven with cinnamon and sugar."}
{"id": "4", "title": "Java", "text": "Java is a programming language that runs on a virtual machine."}
END
querykin corpus add "$folder/documents.jsonl" --quiet
querykin repository mine --quiet
querykin build --quiet
querykin suggest "space rockets" --explain > /dev/null
querykin similarity "space rockets" nasa > /dev/null
