/** What a telnet client sends: what was typed among the commands of the protocol (RFC 854). */

/** An option that the client asks us to use (`do`) or offers to use itself (`will`). */
export type OptionRequest = { readonly kind: 'do' | 'will'; readonly option: number }

export type TelnetInput = Typed | OptionRequest

export const telnet = {
  se: 240,
  breakKey: 243,
  interrupt: 244,
  sb: 250,
  will: 251,
  wont: 252,
  do: 253,
  dont: 254,
  iac: 255,
  echo: 1,
} as const

type State = 'text' | 'command' | 'option' | 'negotiation' | 'negotiation-command'

/** Takes bytes as they come; a line has at most so many. */
export function telnetReader(longest: number): (bytes: Uint8Array) => readonly TelnetInput[] {
  let state: State = 'text'
  let verb = 0
  const line = typing(longest)
  const command = (byte: number): TelnetInput | undefined => {
    state = afterCommand(byte)
    verb = byte
    if (byte === telnet.iac) return line.keep(byte)
    return byte === telnet.interrupt || byte === telnet.breakKey ? line.interrupt() : undefined
  }
  const option = (byte: number): TelnetInput | undefined => {
    state = 'text'
    if (verb === telnet.do) return { kind: 'do', option: byte }
    return verb === telnet.will ? { kind: 'will', option: byte } : undefined
  }
  const take = (byte: number): TelnetInput | undefined => {
    if (state === 'command') return command(byte)
    if (state === 'option') return option(byte)
    if (state === 'text' && byte !== telnet.iac) return line.key(byte)
    if (state === 'text') state = 'command'
    else if (state === 'negotiation-command') state = byte === telnet.se ? 'text' : 'negotiation'
    else if (byte === telnet.iac) state = 'negotiation-command'
    return undefined
  }
  return (bytes) => Array.from(bytes).flatMap((byte) => take(byte) ?? [])
}

function afterCommand(byte: number): State {
  if (byte === telnet.sb) return 'negotiation'
  return byte >= telnet.will && byte <= telnet.dont ? 'option' : 'text'
}

// Bytes that were typed, put together to lines.

type Typed =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'interrupt' | 'end' | 'too-long' }

type Typing = {
  /** A byte that may be part of a line, end it, or be a key of its own. */
  readonly key: (byte: number) => Typed | undefined
  /** A byte that stands for itself. */
  readonly keep: (byte: number) => undefined
  /** Forgets what is typed so far. */
  readonly interrupt: () => Typed
}

const [ctrlC, ctrlD, backspace, lineFeed, carriageReturn, del] = [3, 4, 8, 10, 13, 127]

/** Lines are UTF-8 of at most so many bytes and end in CR LF, CR NUL, CR or LF. */
function typing(longest: number): Typing {
  let line: number[] = []
  let isTooLong = false
  let wasReturn = false
  const decoder = new TextDecoder()

  const restart = (sent: Typed): Typed => {
    line = []
    isTooLong = false
    return sent
  }
  const ended = (): Typed =>
    restart(
      isTooLong
        ? { kind: 'too-long' }
        : { kind: 'line', text: decoder.decode(Uint8Array.from(line)) },
    )
  const keep = (byte: number): undefined => {
    if (line.length < longest) line.push(byte)
    else isTooLong = true
  }
  return {
    keep,
    interrupt: () => restart({ kind: 'interrupt' }),
    key: (byte) => {
      const follows = wasReturn
      wasReturn = byte === carriageReturn
      if (follows && (byte === lineFeed || byte === 0)) return undefined
      if (byte === carriageReturn || byte === lineFeed) return ended()
      if (byte === ctrlC) return restart({ kind: 'interrupt' })
      if (byte === ctrlD) return restart({ kind: 'end' })
      if (byte !== backspace && byte !== del) return keep(byte)
      takeBack(line)
      return undefined
    },
  }
}

/** The last character, whatever its bytes. */
function takeBack(line: number[]): void {
  while (((line.at(-1) ?? 0) & 0xc0) === 0x80) line.pop()
  line.pop()
}
