/** The line that is being typed: cursor, history, completion. Knows no terminal and no network. */

/** A line with a cursor; characters are code points. */
export function editor() {
  const line = { chars: [], cursor: 0 }
  const lines = past()
  const text = () => line.chars.join('')
  const before = () => line.chars.slice(0, line.cursor).join('')
  const set = (next) => {
    line.chars = Array.from(next)
    line.cursor = line.chars.length
  }
  const walk = (step) => {
    const next = lines.walk(step, text())
    if (next !== undefined) set(next)
  }
  return {
    text,
    /** What stands before the cursor, and behind it. */
    parts: () => [before(), line.chars.slice(line.cursor).join('')],
    /** Takes a key or pasted text. */
    take: (typed) => {
      if (typed === '\u001b[A' || typed === '\u001bOA') walk(-1)
      else if (typed === '\u001b[B' || typed === '\u001bOB') walk(1)
      else if (Object.hasOwn(keys, typed)) keys[typed](line)
      else if (!typed.startsWith('\u001b')) insert(line, typed)
    },
    /** Ends the line: answers it, remembers it, begins an empty one. */
    done: () => {
      const whole = text()
      lines.add(whole)
      set('')
      return whole
    },
    drop: () => {
      lines.restart()
      set('')
    },
    /**
     * Puts the longest common beginning of the candidates in the place of the word from `from` to the cursor; answers
     * whether something changed.
     */
    complete: ({ from, candidates }) => {
      const word = commonStart(candidates) + (candidates.length === 1 ? ' ' : '')
      const after = before().slice(0, from) + word
      if (candidates.length === 0 || after.length <= before().length) return false
      const rest = line.chars.slice(line.cursor)
      set(after)
      line.chars.push(...rest)
      return true
    },
  }
}

function insert(line, text) {
  const added = Array.from(text).filter((char) => char >= ' ' && char !== '\u007f')
  line.chars.splice(line.cursor, 0, ...added)
  line.cursor += added.length
}

function takeBack(line) {
  if (line.cursor > 0) line.chars.splice(--line.cursor, 1)
}

function start(line) {
  line.cursor = 0
}

function end(line) {
  line.cursor = line.chars.length
}

/** What terminals send for keys that move or delete. */
const keys = {
  '\u007f': takeBack,
  '\b': takeBack,
  '\u001b[3~': ({ chars, cursor }) => chars.splice(cursor, 1),
  '\u001b[D': (line) => (line.cursor = Math.max(0, line.cursor - 1)),
  '\u001b[C': (line) => (line.cursor = Math.min(line.chars.length, line.cursor + 1)),
  '\u001b[H': start,
  '\u001b[F': end,
  '\u0001': start,
  '\u0005': end,
  '\u000b': ({ chars, cursor }) => chars.splice(cursor),
  '\u0015': (line) => {
    line.chars.splice(0, line.cursor)
    line.cursor = 0
  },
}

function commonStart([first = '', ...others]) {
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--
  return first.slice(0, length)
}

// The lines that were sent, walked through with the arrow keys.

const mostRemembered = 200

function past() {
  const lines = []
  let place = 0
  let draft = ''
  return {
    add: (text) => {
      if (text.trim() !== '' && lines.at(-1) !== text) lines.push(text)
      if (lines.length > mostRemembered) lines.shift()
      place = lines.length
    },
    /** The line a step further from what is typed now; undefined at either end. */
    walk: (step, typed) => {
      const next = place + step
      if (next < 0 || next > lines.length) return undefined
      if (place === lines.length) draft = typed
      place = next
      return place === lines.length ? draft : lines[place]
    },
    restart: () => {
      place = lines.length
    },
  }
}
