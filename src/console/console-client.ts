/** Client of the console: sends one command line and prints its answer as it comes. */

import {
  refusalOf,
  scriptArguments,
  serverOptions,
  serverUsage,
  serviceAddress,
} from '../config/script.ts'
import { WrongUsage } from '../errors.ts'
import { quotedWord } from './command.ts'
import { commandFinished } from './execution.ts'

/** Setting that opens the console of a platform. */
const openShell = 'PLATFORM_HUB_SHELL_CONFIG={"http":{}}'

/** Usage of `npm run console`. */
export const consoleUsage = `npm run console -- [--server url] [--key key] <command> [words and options of the command]

${serverUsage}  --to url             the console itself, where it has a port of its own

"npm run console -- help" lists the commands. The platform must run with ${openShell}.
`

type ClientArguments = {
  /** Address of the console, without a slash at its end. */
  readonly address: string
  readonly key?: string
  readonly line: string
}

/** Parses the options of the client, which end where the command begins. Throws `WrongUsage`. */
export function parseClientArguments(argumentList: readonly string[]): ClientArguments {
  const isOption = (word = '') => /^--(server|to|key)(=|$)/s.test(word)
  let count = 0
  while (isOption(argumentList[count])) count += argumentList[count]?.includes('=') ? 1 : 2
  const { values } = scriptArguments(argumentList.slice(0, count), serverOptions)
  const { to, ...platform } = values
  const { key } = platform
  // A console with a port of its own has no path before it.
  const shell =
    to === undefined ? serviceAddress('/shell', platform) : serviceAddress('', { server: to })
  const words = argumentList.slice(count)
  const [command] = words
  if (command === undefined) throw new WrongUsage('no command')
  if (command.startsWith('-')) throw new WrongUsage(`${command}: no such option`)
  return {
    address: shell.replace(/\/shell\.html$/, ''),
    key,
    line: words.map(quotedWord).join(' '),
  }
}

type Outputs = {
  readonly out: (text: string) => void
  /** Prints messages that are not part of the answer. */
  readonly err: (text: string) => void
}

/**
 * Runs a command and returns the exit code: 0 = finished, 1 = failed, refused, no answer or an incomplete one, 2 = the command
 * line is invalid (status 400). Throws the signal's reason.
 */
export async function runRemotely(
  { address: to, key, line }: ClientArguments & { readonly key: string },
  { out, err }: Outputs,
  signal: AbortSignal,
): Promise<number> {
  const reportBroken = (message: string) => (error: unknown) => {
    signal.throwIfAborted()
    const cause = error instanceof Error ? (error.cause ?? error.message) : error
    err(`${message} (${String(cause)})\n`)
  }
  const answer = await fetch(`${to}/exec`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-API-Key': key },
    body: line,
    signal,
  }).catch(reportBroken(`${to}: no answer; is the platform running?`))
  if (!answer?.body) return 1
  if (!answer.ok) {
    const isText = answer.headers.get('Content-Type')?.startsWith('text/plain') ?? false
    const isClosed = answer.status === 404
    const why = isText ? await answer.text() : `${await refusalOf(answer)}\n`
    err(isClosed ? `${to}: no console; the platform opens it with ${openShell}\n` : why)
    return answer.status === 400 ? 2 : 1
  }
  const lastLine = await copyLines(answer.body, out).catch(reportBroken('the answer broke off'))
  if (lastLine === commandFinished) return 0
  if (lastLine !== undefined) err(`${lastLine === '' ? 'the answer broke off' : lastLine}\n`)
  return 1
}

/** Prints all lines but the last one, which it returns. */
async function copyLines(
  body: ReadableStream<Uint8Array>,
  out: (text: string) => void,
): Promise<string> {
  const decoder = new TextDecoder()
  let pendingText = ''
  for await (const piece of body) {
    pendingText += decoder.decode(piece, { stream: true })
    // Keeps the last line back, since more of it may follow.
    const end = pendingText.lastIndexOf('\n', pendingText.length - 2) + 1
    if (end > 0) out(pendingText.slice(0, end))
    pendingText = pendingText.slice(end)
  }
  return pendingText.replace(/\n$/, '')
}
