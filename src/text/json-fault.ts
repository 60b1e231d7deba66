/** Where a text stops being JSON (RFC 8259), and what was expected there; for texts of any size, piece by piece. */

/** The first character that breaks the grammar; line and column count from 1. */
export type JsonFault = {
  /** In UTF-16 units from the start. */
  readonly offset: number
  readonly line: number
  readonly column: number
  readonly detail: string
  /** Nothing is wrong but that the text ends too early. */
  readonly isEnd: boolean
}

/** Token that may come next; `first-…` also allows the end of its bracket. */
type State = 'value' | 'first-value' | 'key' | 'first-key' | 'after' | 'colon'

const wanted: Readonly<Record<State, string>> = {
  value: 'a value',
  'first-value': 'a value or "]"',
  key: 'a key in double quotes',
  'first-key': 'a key in double quotes or "}"',
  after: '"," or the end of the list or object',
  colon: '":" after a key',
}
const blanks = /[ \t\r\n]*/y
const literal = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const strings = /"[^"\\]*(?:\\[^][^"\\]*)*"/y
// oxlint-disable-next-line no-control-regex
const goodInString = /^(?:[^\0-\x1f\\]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/

/** Characters of a string or number that has not ended; longer ones count as broken where they begin. */
const longest = 16 * 2 ** 20

class JsonScanner {
  readonly #open: string[] = []
  #state: State = 'value'
  #text = ''
  #at = 0
  #passed = { offset: 0, line: 1, column: 1 }

  feed(piece: string, isEnd: boolean): JsonFault | undefined {
    this.#pass()
    this.#text += piece
    for (;;) {
      const start = this.#at
      this.#take(blanks)
      const from = this.#at
      const isDone = this.#state === 'after' && this.#open.length === 0
      if (from === this.#text.length) {
        if (!isEnd || isDone) return undefined
        return this.#fault(from, `the JSON ends where ${this.#wanted} is expected`, true)
      }
      const fault = this.#step(this.#text[from] ?? '', isEnd)
      if (fault === 'wait') {
        this.#at = start
        return undefined
      }
      if (fault) return fault
    }
  }

  get #wanted(): string {
    return this.#state === 'after' && this.#open.length === 0
      ? 'the end of the text'
      : wanted[this.#state]
  }

  #step(character: string, isEnd: boolean): JsonFault | 'wait' | undefined {
    const from = this.#at
    const isKey = this.#state.endsWith('key')
    const isValue = this.#state.endsWith('value')
    if (character === '"' && (isKey || isValue)) return this.#string(isKey, isEnd)
    if (isValue && '{['.includes(character)) {
      this.#open.push(character)
      return this.#go(character === '{' ? 'first-key' : 'first-value')
    }
    const last = this.#open.at(-1)
    const isClosing = character === (last === '{' ? '}' : ']') && last !== undefined
    if (isClosing && (this.#state === 'after' || this.#state.startsWith('first'))) {
      this.#open.pop()
      return this.#go('after')
    }
    if (character === ',' && this.#state === 'after' && last !== undefined)
      return this.#go(last === '{' ? 'key' : 'value')
    if (character === ':' && this.#state === 'colon') return this.#go('value')
    if (isValue && /[-\dtfn]/.test(character) && this.#take(literal)) {
      if (this.#at === this.#text.length && !isEnd) return 'wait'
      this.#state = 'after'
      return undefined
    }
    const rest = this.#text.slice(from, from + 40)
    const isWord = /^[-+.\w]*$/.test(rest) && this.#open.length > 0
    if (isWord && !isEnd) return 'wait'
    const found =
      /^-?[\p{L}_$][\p{L}\p{N}_$]*/u.exec(rest)?.[0] ??
      String.fromCodePoint(rest.codePointAt(0) ?? 0)
    return this.#fault(
      from,
      `expected ${this.#wanted}, found ${found}${hintOf(found, this.#state)}`,
      isWord,
    )
  }

  #go(state: State): undefined {
    this.#state = state
    this.#at += 1
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const isThere = pattern.test(this.#text)
    if (isThere) this.#at = pattern.lastIndex
    return isThere
  }

  #string(isKey: boolean, isEnd: boolean): JsonFault | 'wait' | undefined {
    const from = this.#at
    const isWhole = this.#take(strings)
    const rest = this.#text.slice(from + 1, isWhole ? this.#at - 1 : undefined)
    const bad = goodInString.exec(rest)?.[0].length ?? 0
    // A backslash at the end may begin an escape.
    if (bad < rest.length - (isWhole ? 0 : 6))
      return this.#fault(from + 1 + bad, badDetail(rest[bad] ?? ''))
    if (!isWhole && !isEnd && rest.length < longest) return 'wait'
    if (!isWhole) return this.#fault(from, 'the text that begins here has no end', isEnd)
    this.#state = isKey ? 'colon' : 'after'
    return undefined
  }

  /** Lets go of what is read. */
  #pass(): void {
    const { line, column, offset } = this.#placeOf(this.#at)
    this.#passed = { line, column, offset }
    this.#text = this.#text.slice(this.#at)
    this.#at = 0
  }

  #placeOf(at: number) {
    const { offset, line, column } = this.#passed
    const lines = this.#text.slice(0, at).split('\n')
    const last = lines.at(-1)?.length ?? 0
    const isSame = lines.length === 1
    return {
      offset: offset + at,
      line: line + lines.length - 1,
      column: isSame ? column + last : last + 1,
    }
  }

  #fault(at: number, detail: string, isEnd = false): JsonFault {
    return { ...this.#placeOf(at), detail, isEnd }
  }
}

function badDetail(character: string): string {
  if (character === '\\') return 'a backslash that begins no escape of JSON: write \\\\'
  if (/[\r\n]/.test(character)) return 'a line break in a text: write \\n'
  return 'a control character in a text: write \\u and four digits'
}

function hintOf(found: string, state: State): string {
  if (/^(?:-?(?:NaN|Infinity)|undefined|None)$/.test(found)) return ', which is no JSON: write null'
  if (found === "'") return ': texts stand in double quotes'
  if (found === '/' || found === '#') return ': JSON has no comments'
  const isClosing = found === ']' || found === '}'
  return isClosing && (state === 'key' || state === 'value') ? ' after a comma or colon' : ''
}

/** The fault of a text; `undefined` when it is JSON. */
export const jsonFault = (text: string): JsonFault | undefined => new JsonScanner().feed(text, true)

/** The fault of a text that comes in pieces. */
export async function jsonFaultIn(pieces: AsyncIterable<string>): Promise<JsonFault | undefined> {
  const scanner = new JsonScanner()
  for await (const piece of pieces) {
    const fault = scanner.feed(piece, false)
    if (fault) return fault
  }
  return scanner.feed('', true)
}
