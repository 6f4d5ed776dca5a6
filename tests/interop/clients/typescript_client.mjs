// The TypeScript SDK's clients, one process: `typescript_client.mjs {modern,legacy,v1} COMMAND...`.
// `modern` and `legacy` are the two eras of @modelcontextprotocol/client; `v1` is @modelcontextprotocol/sdk,
// the release line before it, which most applications run.
//
// Reads a JSON list of calls from stdin, makes them on the MCP server that COMMAND starts, and prints
// one JSON document with what the client saw.
import { readFileSync } from 'node:fs';

const [era, command, ...args] = process.argv.slice(2);
const calls = JSON.parse(readFileSync(0, 'utf8'));

const v1 = era === 'v1';
const { Client } = await import(v1 ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await import(
  v1 ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio'
);

async function call(client, { name, arguments: given }) {
  try {
    return await client.callTool({ name, arguments: given });
  } catch (error) {
    if (typeof error.code !== 'number') throw error;
    // v1 puts the code before the server's message.
    const message = v1 ? error.message.replace(/^MCP error -?\d+: /, '') : error.message;
    return { error: { code: error.code, message, data: error.data } };
  }
}

// v1 gives one page at a time; the newer client walks them all by itself.
async function listTools(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor && { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const client = new Client({ name: 'interop', version: '1' }, v1 ? {} : { versionNegotiation: { mode } });
const transport = new StdioClientTransport({ command, args });
// The v1 client tells the negotiated revision to its transport alone.
let told;
transport.setProtocolVersion = (version) => (told = version);
await client.connect(transport);
try {
  const tools = await listTools(client);
  const results = [];
  for (const one of calls) results.push(await call(client, one));
  const protocolVersion = v1 ? told : client.getNegotiatedProtocolVersion();
  console.log(JSON.stringify({ protocolVersion, serverInfo: client.getServerVersion(), tools, results }));
} finally {
  await client.close();
}
