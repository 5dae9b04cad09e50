// node node.mjs STATIC < request.json > found.json
import { readFileSync } from "node:fs";
import { plain, record } from "./record.mjs";

const folder = process.argv[2];
const read = async (name) => {
  const bytes = readFileSync(`${folder}/engine/${name}`);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
};
const request = JSON.parse(readFileSync(0, "utf8"));
const found = await record(`file://${folder}/engine/`, read, request);
process.stdout.write(JSON.stringify(plain(found)));
