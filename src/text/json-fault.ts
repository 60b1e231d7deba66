/**
 * Finds the place where a text is no JSON (RFC 8259), and what was expected there; reads texts of any size in pieces. The JSON-LD
 * reader, imports and the entry file of profiles use it.
 */

/** The first character that breaks the grammar; line and column count from 1. */
export type JsonFault = {
  /** In UTF-16 units from the start. */
  readonly offset: number
  readonly line: number
  readonly column: number
  readonly detail: string
  /** True when the only fault is that the text ends too early. */
  readonly isEnd: boolean
}

/** Token that may come next; `first-…` also allows the end of its bracket, and `after` what follows a value. */
type State = 'value' | 'first-value' | 'key' | 'first-key' | 'after' | 'colon'

const expectedTokens: Readonly<Record<State, string>> = {
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

/** UTF-16 units from which a string without an end is a fault at its start. */
const maxStringLength = 16 * 2 ** 20

/** Scanner of JSON text that arrives in pieces; `feed` returns the first fault. */
class JsonScanner {
  readonly #brackets: string[] = []
  #state: State = 'value'
  #text = ''
  #at = 0
  #end = { offset: 0, line: 1, column: 1 }

  feed(piece: string, isEnd: boolean): JsonFault | undefined {
    this.#dropScanned()
    this.#text += piece
    for (;;) {
      const start = this.#at
      this.#match(blanks)
      const from = this.#at
      const isDone = this.#state === 'after' && this.#brackets.length === 0
      if (from === this.#text.length) {
        if (!isEnd || isDone) return undefined
        return this.#fault(from, `the JSON ends where ${this.#expected} is expected`, true)
      }
      const fault = this.#step(this.#text[from] ?? '', isEnd)
      if (fault === 'wait') {
        this.#at = start
        return undefined
      }
      if (fault) return fault
    }
  }

  get #expected(): string {
    return this.#state === 'after' && this.#brackets.length === 0
      ? 'the end of the text'
      : expectedTokens[this.#state]
  }

  #step(character: string, isEnd: boolean): JsonFault | 'wait' | undefined {
    const from = this.#at
    const isKey = this.#state.endsWith('key')
    const isValue = this.#state.endsWith('value')
    if (character === '"' && (isKey || isValue)) return this.#string(isKey, isEnd)
    if (isValue && '{['.includes(character)) {
      this.#brackets.push(character)
      return this.#advance(character === '{' ? 'first-key' : 'first-value')
    }
    const bracket = this.#brackets.at(-1)
    const isClosing = character === (bracket === '{' ? '}' : ']') && bracket !== undefined
    if (isClosing && (this.#state === 'after' || this.#state.startsWith('first'))) {
      this.#brackets.pop()
      return this.#advance('after')
    }
    if (character === ',' && this.#state === 'after' && bracket !== undefined)
      return this.#advance(bracket === '{' ? 'key' : 'value')
    if (character === ':' && this.#state === 'colon') return this.#advance('value')
    if (isValue && /[-\dtfn]/.test(character) && this.#match(literal)) {
      if (this.#at === this.#text.length && !isEnd) return 'wait'
      this.#state = 'after'
      return undefined
    }
    const remaining = this.#text.slice(from, from + 40)
    const isWord = /^[-+.\w]*$/.test(remaining) && this.#brackets.length > 0
    if (isWord && !isEnd) return 'wait'
    const token =
      /^-?[\p{L}_$][\p{L}\p{N}_$]*/u.exec(remaining)?.[0] ??
      String.fromCodePoint(remaining.codePointAt(0) ?? 0)
    return this.#fault(
      from,
      `expected ${this.#expected}, found ${token}${hintOf(token, this.#state)}`,
      isWord,
    )
  }

  #advance(state: State): undefined {
    this.#state = state
    this.#at += 1
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const isThere = pattern.test(this.#text)
    if (isThere) this.#at = pattern.lastIndex
    return isThere
  }

  #string(isKey: boolean, isEnd: boolean): JsonFault | 'wait' | undefined {
    const from = this.#at
    const isWhole = this.#match(strings)
    const content = this.#text.slice(from + 1, isWhole ? this.#at - 1 : undefined)
    const validLength = goodInString.exec(content)?.[0].length ?? 0
    // A backslash at the end may begin an escape.
    if (validLength < content.length - (isWhole ? 0 : 6))
      return this.#fault(from + 1 + validLength, badDetail(content[validLength] ?? ''))
    if (!isWhole && !isEnd && content.length < maxStringLength) return 'wait'
    if (!isWhole) return this.#fault(from, 'the text that begins here has no end', isEnd)
    this.#state = isKey ? 'colon' : 'after'
    return undefined
  }

  /** Drops the text that was scanned, and keeps its end as line and column. */
  #dropScanned(): void {
    const { line, column, offset } = this.#placeOf(this.#at)
    this.#end = { line, column, offset }
    this.#text = this.#text.slice(this.#at)
    this.#at = 0
  }

  #placeOf(at: number) {
    const { offset, line, column } = this.#end
    const lines = this.#text.slice(0, at).split('\n')
    const last = lines.at(-1)?.length ?? 0
    const isSame = lines.length === 1
    return {
      offset: offset + at,
      line: line + lines.length - 1,
      column: isSame ? column + last : last + 1,
    }
  }

  #fault(offset: number, detail: string, isEnd = false): JsonFault {
    return { ...this.#placeOf(offset), detail, isEnd }
  }
}

function badDetail(character: string): string {
  if (character === '\\') return 'a backslash that begins no escape of JSON: write \\\\'
  if (/[\r\n]/.test(character)) return 'a line break in a text: write \\n'
  return 'a control character in a text: write \\u and four digits'
}

function hintOf(token: string, state: State): string {
  if (/^(?:-?(?:NaN|Infinity)|undefined|None)$/.test(token)) return ', which is no JSON: write null'
  if (token === "'") return ': texts stand in double quotes'
  if (token === '/' || token === '#') return ': JSON has no comments'
  const isClosing = token === ']' || token === '}'
  return isClosing && (state === 'key' || state === 'value') ? ' after a comma or colon' : ''
}

/** Returns the fault of a text; `undefined` when it is JSON. */
export const jsonFault = (text: string): JsonFault | undefined => new JsonScanner().feed(text, true)

/** Resolves with the fault of a text that arrives in pieces; `undefined` when it is JSON. */
export async function jsonFaultIn(pieces: AsyncIterable<string>): Promise<JsonFault | undefined> {
  const scanner = new JsonScanner()
  for await (const piece of pieces) {
    const fault = scanner.feed(piece, false)
    if (fault) return fault
  }
  return scanner.feed('', true)
}
