/** The line that is being typed: cursor, history, completion. Knows no terminal and no network. */

const mostRemembered = 200

/** @param {string} text */
const printableOnly = (text) => Array.from(text).filter((char) => char >= ' ' && char !== '\u007f')

/** A line with a cursor; characters are code points. */
export function editor() {
  let chars = []
  let cursor = 0
  const past = []
  let place = 0
  let draft = ''

  const set = (text) => {
    chars = Array.from(text)
    cursor = chars.length
  }
  const walk = (step) => {
    const next = place + step
    if (next < 0 || next > past.length) return
    if (place === past.length) draft = chars.join('')
    place = next
    set(place === past.length ? draft : past[place])
  }
  const keys = {
    '\u007f': () => cursor > 0 && chars.splice(--cursor, 1),
    '\b': () => cursor > 0 && chars.splice(--cursor, 1),
    '\u001b[3~': () => chars.splice(cursor, 1),
    '\u001b[D': () => cursor > 0 && cursor--,
    '\u001b[C': () => cursor < chars.length && cursor++,
    '\u001b[H': () => (cursor = 0),
    '\u001b[F': () => (cursor = chars.length),
    '\u0001': () => (cursor = 0),
    '\u0005': () => (cursor = chars.length),
    '\u000b': () => chars.splice(cursor),
    '\u0015': () => (chars.splice(0, cursor), (cursor = 0)),
    '\u001b[A': () => walk(-1),
    '\u001b[B': () => walk(1),
  }
  return {
    /** Takes a key or pasted text. */
    take: (text) => {
      const key = keys[text]
      if (key) key()
      else if (!text.startsWith('\u001b')) {
        const added = printableOnly(text)
        chars.splice(cursor, 0, ...added)
        cursor += added.length
      }
    },
    text: () => chars.join(''),
    /** What stands before the cursor, and behind it. */
    parts: () => [chars.slice(0, cursor).join(''), chars.slice(cursor).join('')],
    /** Ends the line: answers it, remembers it, begins an empty one. */
    done: () => {
      const text = chars.join('')
      if (text.trim() !== '' && past.at(-1) !== text) past.push(text)
      if (past.length > mostRemembered) past.shift()
      place = past.length
      draft = ''
      set('')
      return text
    },
    drop: () => {
      place = past.length
      set('')
    },
    /**
     * Puts the longest common beginning of the candidates in the place of the word from `from` to the cursor; answers
     * whether something changed.
     */
    complete: ({ from, candidates }) => {
      const common = commonStart(candidates)
      const before = chars.slice(0, cursor).join('')
      const word = common + (candidates.length === 1 ? ' ' : '')
      const after = before.slice(0, from) + word
      if (candidates.length === 0 || after.length <= before.length) return false
      const rest = chars.slice(cursor)
      chars = [...Array.from(after), ...rest]
      cursor = Array.from(after).length
      return true
    },
  }
}

/** @param {readonly string[]} words */
function commonStart([first = '', ...others]) {
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--
  return first.slice(0, length)
}
