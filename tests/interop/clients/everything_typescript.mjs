// The TypeScript SDK's clients on the everything-server: `everything_typescript.mjs {modern,legacy,v1} SERVER`.
// `modern` and `legacy` are the two eras of @modelcontextprotocol/client; `v1` is @modelcontextprotocol/sdk,
// the release line before it, which most applications run.
//
// SERVER is a command line or a URL. Reads a JSON list of steps from stdin, takes them, and prints one
// JSON document with the outcome of each.
import { readFileSync } from 'node:fs';

const [era, ...server] = process.argv.slice(2);
const steps = JSON.parse(readFileSync(0, 'utf8'));
const v1 = era === 'v1';
const modern = era === 'modern';

const PATIENCE_MS = 15_000;
const LOG_LEVEL = { 'io.modelcontextprotocol/logLevel': 'debug' };

class Absent extends Error {}

// What the server told and asked during one step, and the forms that the step fills in.
let noted = {};
let forms = [];
const note = (kind, value) => (noted[kind] ??= []).push(value);

const answers = {
  'elicitation/create': () => forms.shift(),
  'sampling/createMessage': () => ({
    role: 'assistant',
    content: { type: 'text', text: 'This is a test response from the client' },
    model: 'test-model',
    stopReason: 'endTurn',
  }),
  'roots/list': () => ({ roots: [{ uri: 'file:///test/root', name: 'Test Root' }] }),
};

// The notifications of changes that came, for a step to wait for one.
const changes = [];
let wake = () => {};
const came = ({ method, params }) => {
  changes.push({ method, ...(params?.uri && { uri: params.uri }) });
  wake();
};
async function nextChange(of) {
  for (;;) {
    for (const found of changes.splice(0)) {
      if (found.uri === of || found.method.split('/')[1] === of) return found;
    }
    await new Promise((resolve) => (wake = resolve));
  }
}

const notified = {
  'notifications/message': ({ params }) => note('logs', params),
  'notifications/tools/list_changed': came,
  'notifications/prompts/list_changed': came,
  'notifications/resources/list_changed': came,
  'notifications/resources/updated': came,
};

async function connect() {
  const sdk = v1 ? '@modelcontextprotocol/sdk/client' : '@modelcontextprotocol/client';
  const { Client } = await import(v1 ? `${sdk}/index.js` : sdk);
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const mode = modern ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client(
    { name: 'interop', version: '1' },
    { capabilities, ...(!v1 && { versionNegotiation: { mode } }) },
  );
  // v1 names what a handler is for by its schema.
  let types;
  if (v1) types = await import('@modelcontextprotocol/sdk/types.js');
  const request = (method) =>
    v1 ? types[{ e: 'ElicitRequestSchema', s: 'CreateMessageRequestSchema', r: 'ListRootsRequestSchema' }[method[0]]] : method;
  const schemas = v1 && {
    'notifications/message': types.LoggingMessageNotificationSchema,
    'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
    'notifications/prompts/list_changed': types.PromptListChangedNotificationSchema,
    'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema,
    'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
  };
  for (const [method, answer] of Object.entries(answers)) {
    client.setRequestHandler(request(method), ({ params }) => {
      note('asked', [method, params ?? {}]);
      return answer();
    });
  }
  for (const [method, handle] of Object.entries(notified)) {
    client.setNotificationHandler(v1 ? schemas[method] : method, handle);
  }

  const [first, ...args] = server;
  let transport;
  if (first.startsWith('http')) {
    const { StreamableHTTPClientTransport } = await import(v1 ? `${sdk}/streamableHttp.js` : sdk);
    transport = new StreamableHTTPClientTransport(new URL(first));
  } else {
    const { StdioClientTransport } = await import(v1 ? `${sdk}/stdio.js` : `${sdk}/stdio`);
    transport = new StdioClientTransport({ command: first, args });
  }
  // The v1 client tells the negotiated revision to its transport alone.
  if (v1) {
    const told = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = (version) => {
      client.told = version;
      told?.(version);
    };
  }
  await client.connect(transport);
  return client;
}

function callTool(client, { name, arguments: given }, options = {}, meta = undefined) {
  const onprogress = ({ progress, total, message }) => {
    // The newer client tells of its own rounds too.
    if (message?.startsWith('Fulfilling input required by')) return;
    note('progress', [progress, total ?? null, message ?? null]);
  };
  const params = { name, arguments: given, ...(meta && { _meta: meta }) };
  return v1
    ? client.callTool(params, undefined, { onprogress, ...options })
    : client.callTool(params, { onprogress, ...options });
}

// v1 gives one page at a time; the newer client walks them all by itself.
async function list(client, { of }) {
  const key = { resource_templates: 'resourceTemplates' }[of] ?? of;
  const method = `list${key[0].toUpperCase()}${key.slice(1)}`;
  const found = [];
  let cursor;
  do {
    const page = await client[method](cursor && { cursor });
    found.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

const verbs = {
  connect: async (client) => ({
    protocolVersion: v1 ? client.told : client.getNegotiatedProtocolVersion(),
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions() ?? null,
    capabilities: client.getServerCapabilities(),
  }),
  list,
  call: callTool,
  async cancel(client, step) {
    const abort = new AbortController();
    const onprogress = () => abort.abort();
    await callTool(client, step, { onprogress, signal: abort.signal }).catch((error) => {
      if (!abort.signal.aborted) throw error;
    });
    return callTool(client, step.then);
  },
  prompt: (client, { name, arguments: given }) => client.getPrompt({ name, arguments: given }),
  read: (client, { uri }) => client.readResource({ uri }),
  complete: (client, { of, argument, value }) =>
    client.complete({
      ref: of.includes('://') ? { type: 'ref/resource', uri: of } : { type: 'ref/prompt', name: of },
      argument: { name: argument, value },
    }),
  async log(client, step) {
    if (modern) return callTool(client, step, {}, LOG_LEVEL);
    await client.setLoggingLevel('debug');
    return callTool(client, step);
  },
  ping: (client) => client.ping(),
  async watch(client, { of, then }) {
    const uri = of.includes('://');
    if (modern) {
      const subscription = await client.listen(uri ? { resourceSubscriptions: [of] } : { [`${of}ListChanged`]: true });
      await callTool(client, then);
      const found = await nextChange(of);
      await subscription.close();
      return found;
    }
    if (uri) await client.subscribeResource({ uri: of });
    await callTool(client, then);
    const found = await nextChange(of);
    if (uri) await client.unsubscribeResource({ uri: of });
    return found;
  },
};

async function take(client, step) {
  noted = {};
  forms = [...(step.elicit ?? [])];
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing for ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    return { result: await Promise.race([verbs[step.do](client, step), late]), ...noted };
  } catch (error) {
    if (error instanceof Absent) return { absent: error.message };
    if (typeof error.code !== 'number') return { raised: `${error.name}: ${error.message}`, ...noted };
    // v1 puts the code before the server's message.
    const message = v1 ? error.message.replace(/^MCP error -?\d+: /, '') : error.message;
    return { error: { code: error.code, message, data: error.data }, ...noted };
  } finally {
    clearTimeout(timer);
  }
}

const client = await connect();
try {
  const outcomes = {};
  for (const step of steps) outcomes[step.feature] = await take(client, step);
  console.log(JSON.stringify(outcomes));
} finally {
  await client.close();
}
