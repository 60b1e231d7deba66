/** What a telnet client sends: lines and interruptions among the commands of the protocol (RFC 854). */

export type Sent =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'interrupt' | 'end' | 'too-long' }
  /** An option that the client asks us to use (`do`) or offers to use itself (`will`). */
  | { readonly kind: 'do' | 'will'; readonly option: number }

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

const [ctrlC, ctrlD, backspace, lineFeed, carriageReturn, del] = [3, 4, 8, 10, 13, 127]

type State = 'text' | 'command' | 'option' | 'negotiation' | 'negotiation-command'

/** Takes bytes as they come; lines are UTF-8 and end in CR LF, CR NUL, CR or LF. */
export function telnetReader(longest: number): (bytes: Uint8Array) => readonly Sent[] {
  let state: State = 'text'
  let verb = 0
  let line: number[] = []
  let isTooLong = false
  let wasReturn = false
  const decoder = new TextDecoder()

  const ended = (): Sent => {
    const text = decoder.decode(Uint8Array.from(line))
    const sent: Sent = isTooLong ? { kind: 'too-long' } : { kind: 'line', text }
    line = []
    isTooLong = false
    return sent
  }
  const dropped = (kind: 'interrupt' | 'end'): Sent => {
    line = []
    isTooLong = false
    return { kind }
  }
  const kept = (byte: number): undefined => {
    if (line.length < longest) line.push(byte)
    else isTooLong = true
  }
  const typed = (byte: number): Sent | undefined => {
    const follows = wasReturn
    wasReturn = byte === carriageReturn
    if (follows && (byte === lineFeed || byte === 0)) return undefined
    if (byte === carriageReturn || byte === lineFeed) return ended()
    if (byte === ctrlC) return dropped('interrupt')
    if (byte === ctrlD) return dropped('end')
    if (byte === backspace || byte === del) return void takeBack(line)
    return kept(byte)
  }
  const take = (byte: number): Sent | undefined => {
    if (state === 'text') {
      if (byte !== telnet.iac) return typed(byte)
      state = 'command'
      return undefined
    }
    if (state === 'command') {
      state = afterCommand(byte)
      verb = byte
      if (byte === telnet.iac) return kept(byte)
      const interrupts = byte === telnet.interrupt || byte === telnet.breakKey
      return interrupts ? dropped('interrupt') : undefined
    }
    if (state === 'option') {
      state = 'text'
      if (verb === telnet.do) return { kind: 'do', option: byte }
      return verb === telnet.will ? { kind: 'will', option: byte } : undefined
    }
    if (state === 'negotiation') {
      if (byte === telnet.iac) state = 'negotiation-command'
      return undefined
    }
    state = byte === telnet.se ? 'text' : 'negotiation'
    return undefined
  }
  return (bytes) => Array.from(bytes).flatMap((byte) => take(byte) ?? [])
}

function afterCommand(byte: number): State {
  if (byte === telnet.sb) return 'negotiation'
  return byte >= telnet.will && byte <= telnet.dont ? 'option' : 'text'
}

/** The last character, whatever its bytes. */
function takeBack(line: number[]): void {
  while (((line.at(-1) ?? 0) & 0xc0) === 0x80) line.pop()
  line.pop()
}
