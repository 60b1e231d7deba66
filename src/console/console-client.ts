/** A client of the console: sends one command line and hands its answer on as it comes. */

import { refusalOf } from '../config/script.ts'
import { WrongUsage } from '../errors.ts'
import { quotedWord } from './command.ts'
import { commandFinished } from './execution.ts'

export const consoleUsage = `npm run console -- [--to url] [--key key] <command> [words and options of the command]

  --to url     the console of a running platform (default http://localhost:8080/shell)
  --key key    API key (default: PLATFORM_API_KEY, else the file api-key in PLATFORM_DATA_DIR)

"npm run console -- help" lists the commands. The platform must run with PLATFORM_HUB_SHELL_CONFIG={"http":{}}.
`

type Wanted = {
  /** Without a slash at its end. */
  readonly to: string
  readonly key?: string
  readonly line: string
}

/** Options of our own, then a command of the console as it is. Throws `WrongUsage`. */
export function wantedOf(argumentList: readonly string[]): Wanted {
  const given = new Map<string, string>()
  let rest = argumentList
  for (;;) {
    const [, name = '', joined] = /^--(to|key)(?:=(.*))?$/s.exec(rest[0] ?? '') ?? []
    if (name === '') break
    const value = joined ?? rest[1]
    if (value === undefined) throw new WrongUsage(`--${name} needs a value`)
    given.set(name, value)
    rest = rest.slice(joined === undefined ? 2 : 1)
  }
  const [command] = rest
  if (command === undefined) throw new WrongUsage('no command')
  if (command.startsWith('-') && !/^(-h|--help)$/.test(command))
    throw new WrongUsage(`${command}: no such option`)
  const key = given.get('key')
  const url = URL.parse(given.get('to') ?? 'http://localhost:8080/shell')
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new WrongUsage('--to must be an http or https address')
  return {
    to: `${url.origin}${url.pathname}`.replace(/(\/shell\.html)?\/*$/, ''),
    ...(key !== undefined && { key }),
    line: command.startsWith('-') ? 'help' : rest.map(quotedWord).join(' '),
  }
}

type Outputs = {
  readonly out: (text: string) => void
  /** What is about the command and not its answer. */
  readonly aside: (text: string) => void
}

/** 0 when the command finished, 1 when it failed or the answer broke off, 2 when it was not understood. */
export async function ask(
  { to, key, line }: Wanted & { readonly key: string },
  { out, aside }: Outputs,
  signal: AbortSignal,
): Promise<number> {
  const broken = (what: string) => (error: unknown) => {
    signal.throwIfAborted()
    const cause = error instanceof Error ? (error.cause ?? error.message) : error
    aside(`${what} (${String(cause)})\n`)
  }
  const answer = await fetch(`${to}/exec`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-API-Key': key },
    body: line,
    signal,
  }).catch(broken(`${to}: no answer; is the platform running?`))
  if (!answer?.body) return 1
  if (!answer.ok) {
    const isText = answer.headers.get('Content-Type')?.startsWith('text/plain') ?? false
    aside(isText ? await answer.text() : `${await refusalOf(answer)}\n`)
    return answer.status === 400 ? 2 : 1
  }
  const last = await copied(answer.body, out).catch(broken('the answer broke off'))
  if (last === commandFinished) return 0
  if (last !== undefined) aside(`${last === '' ? 'the answer broke off' : last}\n`)
  return 1
}

/** Hands on everything but the last line, which it answers. */
async function copied(
  body: ReadableStream<Uint8Array>,
  out: (text: string) => void,
): Promise<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const piece of body) {
    held += decoder.decode(piece, { stream: true })
    // The line end before the last line shows that it is not the last one.
    const end = held.lastIndexOf('\n', held.length - 2) + 1
    if (end > 0) out(held.slice(0, end))
    held = held.slice(end)
  }
  return held.replace(/\n$/, '')
}
