/** The console over HTTP: its page, and the commands as streams of text. */

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Failure } from '../errors.ts'
import { type ApiKeys, may } from '../http/api-key.ts'
import { type App, type AppContext, type AppOptions, newApp } from '../http/app.ts'
import { readBody } from '../http/body.ts'
import { pathOf } from '../http/context.ts'
import { answerFlow } from '../http/long-answers.ts'
import { pagePolicy } from '../http/headers.ts'
import { WrongCommand } from './command.ts'
import type { Execution } from './execution.ts'
import type { Table } from './command-table.ts'

type ConsoleAppDeps = {
  readonly table: Table
  readonly execution: Execution
  readonly keys: ApiKeys
  readonly http: Omit<AppOptions, 'name'>
}

/** What a key needs besides `*`, wherever the console is. */
export const consolePermission = { method: 'POST', path: '/shell/exec' } as const

/** Bytes of a command line. */
const lineBytes = 65_536
/** Milliseconds in which a command may be silent, or its reader may not take anything. */
const silenceMs = 24 * 3_600_000
const plain = 'text/plain; charset=utf-8'
const html = 'text/html; charset=utf-8'

export function consoleApp({ table, execution, keys, http }: ConsoleAppDeps): App {
  const app = newApp({ ...http, name: 'console' })
  app.use(async (c, next) => {
    await next()
    c.header('Cache-Control', 'no-store')
    c.header('Cross-Origin-Resource-Policy', 'same-origin')
  })
  const keyOf = (c: AppContext): string => {
    const key = keys.require(c)
    if (may(key, consolePermission)) return key.id
    throw new Failure('forbidden', 'the key has no permission for the console')
  }
  servePage(app)
  app.post('/exec', async (c) => {
    const key = keyOf(c)
    const line = await lineOf(c)
    try {
      const order = table.order(line)
      const pieces = execution.run(order, { key, door: 'http', signal: c.get('signal') })
      return await answerFlow(c, pieces, { log: http.log, pieceMs: silenceMs, headers: streamed })
    } catch (error) {
      if (!(error instanceof WrongCommand)) throw error
      return c.body(`${error.message}\n`, 400, { 'Content-Type': plain })
    }
  })
  app.post('/complete', async (c) => {
    keyOf(c)
    return c.json(table.complete(await lineOf(c)))
  })
  return app
}

/** A line that waits in a coder or a proxy is no progress. */
const streamed = {
  'Content-Type': plain,
  'Content-Encoding': 'identity',
  'X-Accel-Buffering': 'no',
}

/** One line, its end allowed. */
async function lineOf(c: AppContext): Promise<string> {
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== undefined && type !== 'text/plain')
    throw new Failure('unsupported-media-type', 'a command line is text/plain', {
      headers: { 'Accept-Post': 'text/plain' },
    })
  const limits = { bytes: lineBytes, name: 'commandLine' }
  const bytes = await readBody(c.req.raw, limits, c.get('signal'))
  const text = decoded(bytes).replace(/\r?\n$/, '')
  // oxlint-disable-next-line no-control-regex -- a tab is a blank, other control characters are no text
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(text))
    throw wrongLine('one line without control characters')
  return text
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw wrongLine('UTF-8', cause)
  }
}

const wrongLine = (what: string, cause?: unknown): Failure =>
  new Failure('invalid-parameter', `a command is ${what}`, { cause })

/** The terminal draws with styles that it makes itself: they carry a number that this answer alone knows. */
const policyWith = (nonce: string): string =>
  pagePolicy.replace(`style-src 'self'`, `style-src 'self' 'nonce-${nonce}'`)

function servePage(app: App): void {
  for (const { name, type, read } of pageFiles)
    app.get(`/${name}`, async (c) => c.body(await read(), 200, { 'Content-Type': type }))
  app.get('/shell.html', async (c) => {
    const nonce = randomBytes(16).toString('base64')
    const headers = { 'Content-Type': html, 'Content-Security-Policy': policyWith(nonce) }
    return c.body(await readPage(nonce), 200, headers)
  })
  app.get('/', (c) => {
    // A service root may lack the slash that relative addresses need.
    const last = pathOf(c.req.url).split('/').at(-1) ?? ''
    return c.redirect(`${last === '' ? '.' : `./${last}`}/shell.html`)
  })
}

// The files of the console's page, read from disk: nothing comes from the internet.

type PageFile = {
  readonly name: string
  readonly type: string
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>
}

const require = createRequire(import.meta.url)
const own = (name: string) => () => readFile(new URL(`page/${name}`, import.meta.url))
const terminal = (path: string) => () => readFile(path)

/** The page itself; styles with this nonce (Content Security Policy 3, 2.3.1) are its own. */
async function readPage(nonce: string): Promise<string> {
  const text = await readFile(new URL('page/shell.html', import.meta.url), 'utf8')
  return text.replace('{nonce}', nonce)
}

/** What the page needs. */
const pageFiles: readonly PageFile[] = [
  { name: 'shell.js', type: 'text/javascript; charset=utf-8', read: own('shell.js') },
  { name: 'line.js', type: 'text/javascript; charset=utf-8', read: own('line.js') },
  { name: 'past.js', type: 'text/javascript; charset=utf-8', read: own('past.js') },
  { name: 'shell.css', type: 'text/css; charset=utf-8', read: own('shell.css') },
  {
    name: 'xterm.mjs',
    type: 'text/javascript; charset=utf-8',
    read: terminal(require.resolve('@xterm/xterm/lib/xterm.mjs')),
  },
  {
    name: 'xterm.css',
    type: 'text/css; charset=utf-8',
    read: terminal(require.resolve('@xterm/xterm/css/xterm.css')),
  },
]
