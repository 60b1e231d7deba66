/** Console over HTTP: the page, and commands whose output is streamed as text. */

import { readFile } from 'node:fs/promises'
import { Failure } from '../errors.ts'
import type { ApiKeys } from '../http/api-key.ts'
import { type App, type AppContext, type SharedAppOptions, newApp } from '../http/app.ts'
import { readBody } from '../http/body.ts'
import { keyIdOf, pathOf } from '../http/context.ts'
import { anyone, endpointsFor, mount } from '../http/endpoint.ts'
import { sendPieces } from '../http/long-answers.ts'
import { escaped } from '../text/escaped.ts'
import { WrongCommand } from './command.ts'
import type { Execution } from './execution.ts'
import type { Table } from './command-table.ts'
import { dayMs } from '../text/duration.ts'

/** Dependencies of the endpoints of the console. */
type ConsoleAppContext = {
  readonly table: Table
  readonly execution: Execution
  readonly keys: ApiKeys
  readonly http: SharedAppOptions
}

/** Action whose permission a key needs for the console, wherever it is mounted. */
export const consolePermission = { method: 'POST', path: '/shell/exec' } as const

/** Most bytes of a command line. */
const lineBytes = 65_536
/** Milliseconds without output, or without a reader that takes it, until an answer is broken off. */
const silenceMs = dayMs
const plainText = 'text/plain; charset=utf-8'
const htmlText = 'text/html; charset=utf-8'

const consoleEndpoint = endpointsFor<ConsoleAppContext>({})
const mayUseConsole = { needs: 'permission', action: consolePermission } as const
const answers = { 200: { description: 'Sent' } }

const runCommandLine = consoleEndpoint({
  method: 'post',
  path: '/exec',
  operation: 'postExec',
  summary: 'Run a command line; its output is streamed',
  auth: mayUseConsole,
  answers,
  handle: async ({ c, signal }, { table, execution, http }) => {
    const key = keyIdOf(c)
    const line = await lineOf(c)
    try {
      const pieces = execution.run(table.parse(line), { key, transport: 'http', signal })
      return await sendPieces(c, pieces, {
        log: http.log,
        pieceMs: silenceMs,
        headers: streamHeaders,
      })
    } catch (error) {
      if (!(error instanceof WrongCommand)) throw error
      return c.body(`${error.message}\n`, 400, { 'Content-Type': plainText })
    }
  },
})

const completeLine = consoleEndpoint({
  method: 'post',
  path: '/complete',
  operation: 'postComplete',
  summary: 'The ways to complete a command line',
  auth: mayUseConsole,
  answers,
  handle: async ({ c }, { table }) => table.complete(await lineOf(c)),
})

/** Headers of a streamed answer: neither compression nor proxies may hold lines back. */
const streamHeaders = {
  'Content-Type': plainText,
  'Content-Encoding': 'identity',
  'X-Accel-Buffering': 'no',
}

/** Reads a command line from the body; a line end after it is allowed. */
async function lineOf(c: AppContext): Promise<string> {
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== undefined && type !== 'text/plain')
    throw new Failure('unsupported-media-type', 'a command line is text/plain', {
      headers: { 'Accept-Post': 'text/plain' },
    })
  const limits = { bytes: lineBytes, name: 'commandLine' }
  const bytes = await readBody(c.req.raw, limits, c.get('signal'))
  // oxlint-disable-next-line no-control-regex -- a tab is a blank, other control characters are no text
  const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f]/
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '')
    if (!controlCharacter.test(text)) return text
  } catch (cause) {
    throw new Failure('invalid-parameter', 'a command is UTF-8', { cause })
  }
  throw new Failure('invalid-parameter', 'a command is one line without control characters')
}

const readPage = consoleEndpoint({
  method: 'get',
  path: '/shell.html',
  operation: 'getShellHtml',
  summary: 'The page of the console',
  auth: anyone,
  answers,
  handle: async ({ c }) => {
    const text = await readFile(pageFile('shell.html'), 'utf8')
    const page = text.replace('{site}', () => escaped(c.get('siteName')))
    return c.body(page, 200, { 'Content-Type': htmlText })
  },
})

const redirectToPage = consoleEndpoint({
  method: 'get',
  path: '/',
  operation: 'redirectToPage',
  summary: 'Redirects to the page of the console',
  auth: anyone,
  answers: { 302: { description: 'To the page' } },
  handle: ({ c }) => {
    // A service root may lack the slash that relative addresses need.
    const lastPart = pathOf(c.req.url).split('/').at(-1) ?? ''
    return c.redirect(`${lastPart === '' ? '.' : `./${lastPart}`}/shell.html`)
  },
})

const pageFile = (name: string) => new URL(`page/${name}`, import.meta.url)

const readPageFiles = ['shell.js', 'shell.css'].map((name) =>
  consoleEndpoint({
    method: 'get',
    path: `/${name}`,
    operation: `get.${name}`,
    summary: `The file ${name} of the page`,
    auth: anyone,
    answers,
    handle: async ({ c }) => {
      const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
      return c.body(await readFile(pageFile(name)), 200, {
        'Content-Type': `${type}; charset=utf-8`,
      })
    },
  }),
)

/** Endpoints of the console: the page is public, commands need a key with `consolePermission`. */
export const consoleEndpoints = [
  ...readPageFiles,
  readPage,
  redirectToPage,
  runCommandLine,
  completeLine,
]

/** Makes the app of the console. */
export function consoleApp(context: ConsoleAppContext): App {
  const { keys, http } = context
  const app = newApp({ ...http, name: 'console' })
  app.use(async (c, next) => {
    await next()
    c.header('Cache-Control', 'no-store')
    c.header('Cross-Origin-Resource-Policy', 'same-origin')
  })
  mount(app, consoleEndpoints, context, { keys })
  return app
}
