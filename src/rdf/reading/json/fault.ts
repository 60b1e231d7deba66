/** Finds where JSON stops being JSON; the runtime's own message does not always tell. */

const token =
  /[ \t\r\n]*(?:([[{])|([\]}])|(,)|(:)|("(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null))/uy

/** What may come next: a value, a key, something after a value, a colon; `first` also allows the end of its bracket. */
type State = 'value' | 'first-value' | 'key' | 'first-key' | 'after' | 'colon'

/** The offset of the first character that breaks the grammar of RFC 8259; the length when the text just ends. */
export function faultAt(text: string): number {
  const open: string[] = []
  let state: State = 'value'
  token.lastIndex = 0
  for (;;) {
    const start = token.lastIndex
    const match = token.exec(text)
    if (!match) return start + (/^[ \t\r\n]*/.exec(text.slice(start))?.[0].length ?? 0)
    const [whole, opening, closing, comma, colon, string] = match
    const offset = start + whole.length - whole.trimStart().length
    const last = open.at(-1)
    if (state === 'colon') {
      if (!colon) return offset
      state = 'value'
    } else if (state === 'after') {
      if (closing && closes(last, closing)) open.pop()
      else if (comma && last) state = last === '{' ? 'key' : 'value'
      else return offset
    } else if (closing) {
      if (!state.startsWith('first') || !closes(last, closing)) return offset
      open.pop()
      state = 'after'
    } else if (state === 'key' || state === 'first-key') {
      if (!string) return offset
      state = 'colon'
    } else if (opening) {
      open.push(opening)
      state = opening === '{' ? 'first-key' : 'first-value'
    } else if (comma || colon) return offset
    else state = 'after'
  }
}

const closes = (open: string | undefined, closing: string) =>
  (open === '{' && closing === '}') || (open === '[' && closing === ']')
