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
import { escaped } from '../text/escaped.ts'
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

/** `/shell.html` with its files for anybody; `/exec` and `/complete` for keys with the permission of the console. */
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
      const pieces = execution.run(order, { key, transport: 'http', signal: c.get('signal') })
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
  // oxlint-disable-next-line no-control-regex -- a tab is a blank, other control characters are no text
  const control = /[\u0000-\u0008\u000a-\u001f\u007f]/
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '')
    if (!control.test(text)) return text
  } catch (cause) {
    throw new Failure('invalid-parameter', 'a command is UTF-8', { cause })
  }
  throw new Failure('invalid-parameter', 'a command is one line without control characters')
}

/** The terminal draws with styles that it makes itself: they carry a nonce of this answer (Content Security Policy 3, 2.3.1). */
const policyWith = (nonce: string): string =>
  pagePolicy.replace(`style-src 'self'`, `style-src 'self' 'nonce-${nonce}'`)

function servePage(app: App): void {
  for (const [name, file] of Object.entries(pageFiles)) {
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
    const headers = { 'Content-Type': `${type}; charset=utf-8` }
    app.get(`/${name}`, async (c) => c.body(await readFile(file), 200, headers))
  }
  app.get('/shell.html', async (c) => {
    const nonce = randomBytes(16).toString('base64')
    const text = await readFile(own('shell.html'), 'utf8')
    const headers = { 'Content-Type': html, 'Content-Security-Policy': policyWith(nonce) }
    const shown = text.replace('{nonce}', nonce).replace('{site}', () => escaped(c.get('siteName')))
    return c.body(shown, 200, headers)
  })
  app.get('/', (c) => {
    // A service root may lack the slash that relative addresses need.
    const last = pathOf(c.req.url).split('/').at(-1) ?? ''
    return c.redirect(`${last === '' ? '.' : `./${last}`}/shell.html`)
  })
}

const require = createRequire(import.meta.url)
const own = (name: string) => new URL(`page/${name}`, import.meta.url)

/** What the page needs, read from disk: nothing comes from the internet. */
const pageFiles: Readonly<Record<string, URL | string>> = {
  'shell.js': own('shell.js'),
  'line.js': own('line.js'),
  'shell.css': own('shell.css'),
  'xterm.mjs': require.resolve('@xterm/xterm/lib/xterm.mjs'),
  'xterm.css': require.resolve('@xterm/xterm/css/xterm.css'),
}
