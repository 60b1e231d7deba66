/** What a telnet client sends: what was typed among the commands of the protocol (RFC 854). */

import { typing, type Typed } from './typing.ts'

/** An option that the client asks us to use (`do`) or offers to use itself (`will`). */
export type Asked = { readonly kind: 'do' | 'will'; readonly option: number }

export type Sent = Typed | Asked

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
export function telnetReader(longest: number): (bytes: Uint8Array) => readonly Sent[] {
  let state: State = 'text'
  let verb = 0
  const line = typing(longest)
  const command = (byte: number): Sent | undefined => {
    state = afterCommand(byte)
    verb = byte
    if (byte === telnet.iac) return line.keep(byte)
    return byte === telnet.interrupt || byte === telnet.breakKey ? line.interrupt() : undefined
  }
  const option = (byte: number): Sent | undefined => {
    state = 'text'
    if (verb === telnet.do) return { kind: 'do', option: byte }
    return verb === telnet.will ? { kind: 'will', option: byte } : undefined
  }
  const take = (byte: number): Sent | undefined => {
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
