/** The command line of `npm run console`: options of its own, then a command of the console as it is. */

import { WrongUsage } from '../../errors.ts'
import { quoted } from '../syntax/words.ts'

export const usage = `npm run console -- [--to url] [--key key] <command> [words and options of the command]

  --to url     the console of a running platform (default http://localhost:8080/shell)
  --key key    API key (default: PLATFORM_API_KEY, else the file api-key in PLATFORM_DATA_DIR)

"npm run console -- help" lists the commands. The platform must run with PLATFORM_HUB_SHELL_CONFIG={"http":{}}.
`

export type Wanted = {
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
    line: command.startsWith('-') ? 'help' : rest.map(quoted).join(' '),
  }
}

function addressOf(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new WrongUsage('--to must be an http or https address')
  return `${url.origin}${url.pathname}`.replace(/(\/shell\.html)?\/*$/, '')
}
