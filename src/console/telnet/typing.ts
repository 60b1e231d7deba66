/** Bytes that were typed, put together to lines. */

export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'interrupt' | 'end' | 'too-long' }

export type Typing = {
  /** A byte that may be part of a line, end it, or be a key of its own. */
  readonly key: (byte: number) => Typed | undefined
  /** A byte that stands for itself. */
  readonly keep: (byte: number) => undefined
  /** Forgets what is typed so far. */
  readonly interrupt: () => Typed
}

const [ctrlC, ctrlD, backspace, lineFeed, carriageReturn, del] = [3, 4, 8, 10, 13, 127]

/** Lines are UTF-8 of at most so many bytes and end in CR LF, CR NUL, CR or LF. */
export function typing(longest: number): Typing {
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
