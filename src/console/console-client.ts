/** Sends one command to a running platform and hands its answer on as it comes. */

import { z } from 'zod'
import { WrongUsage } from '../errors.ts'
import { quotedWord } from './command-line.ts'
import { commandFinished } from './execution.ts'

type Ways = {
  readonly out: (text: string) => void
  /** What is about the command and not its answer. */
  readonly aside: (text: string) => void
}

const problem = z.looseObject({ title: z.string().optional(), detail: z.string().optional() })

/** 0 when the command finished, 1 when it failed or the answer broke off, 2 when it was not understood. */
export async function ask(
  { to, key, line }: Wanted & { readonly key: string },
  { out, aside }: Ways,
  signal: AbortSignal,
): Promise<number> {
  const answer = await fetch(`${to}/exec`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-API-Key': key },
    body: line,
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    aside(`${to}: no answer; is the platform running? (${String(causeOf(error))})\n`)
    return undefined
  })
  if (!answer?.body) return 1
  const isText = answer.headers.get('Content-Type')?.startsWith('text/plain') ?? false
  if (!answer.ok) {
    aside(isText ? await answer.text() : `${await refusalOf(answer)}\n`)
    return answer.status === 400 ? 2 : 1
  }
  const last = await handedOn(answer.body, out).catch((error: unknown) => {
    signal.throwIfAborted()
    return `the answer broke off (${String(causeOf(error))})`
  })
  if (last === commandFinished) return 0
  aside(`${last === '' ? 'the answer broke off' : last}\n`)
  return 1
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error ? (error.cause ?? error.message) : error

/** Everything but the last line, which it answers. */
async function handedOn(
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

async function refusalOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined)
  const { detail, title } = problem.safeParse(body).data ?? {}
  return detail ?? title ?? `the platform answered ${answer.status}`
}

// The command line of `npm run console`: options of its own, then a command of the console as it is.

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

/** Reads arguments as they follow the script's name. Throws `WrongUsage`. */
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
  return {
    to: addressOf(given.get('to') ?? 'http://localhost:8080/shell'),
    ...(key !== undefined && { key }),
    line: command.startsWith('-') ? 'help' : rest.map(quotedWord).join(' '),
  }
}

function addressOf(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new WrongUsage('--to must be an http or https address')
  return `${url.origin}${url.pathname}`.replace(/(\/shell\.html)?\/*$/, '')
}
