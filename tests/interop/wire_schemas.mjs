// Prints {revision: JSON Schema of every message of that revision}. The conformance suite validates
// against these schemas but ships them only as object literals in its bundle, so they are cut out of it.
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

const bundle = readFileSync(
  new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
  'utf8',
);
const OPENING = '{$schema:`https://json-schema.org/draft/2020-12/schema`,$defs:{';

// The object literal that starts at `start`: up to the bracket that closes it, outside any quotes.
function literal(start) {
  let depth = 0;
  let quote = '';
  for (let at = start; at < bundle.length; at++) {
    const char = bundle[at];
    if (char === '\\') at++;
    else if (quote) quote = char === quote ? '' : quote;
    else if ('`"\''.includes(char)) quote = char;
    else if ('{['.includes(char)) depth++;
    else if (']}'.includes(char) && --depth === 0) return bundle.slice(start, at + 1);
  }
  throw new Error('the bundle ends inside a schema');
}

const schemas = {};
for (let at = bundle.indexOf(OPENING); at !== -1; at = bundle.indexOf(OPENING, at + 1)) {
  const schema = runInNewContext(`(${literal(at)})`);
  if ('InitializeRequest' in schema.$defs) schemas['2025-11-25'] = schema;
  if ('DiscoverRequest' in schema.$defs) schemas['2026-07-28'] = schema;
}
console.log(JSON.stringify(schemas));
