/** On which line of a JSON text a value stands. */

type Frame = { readonly isArray: boolean; key: string | number | undefined }

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

const keyOf = (path: readonly PropertyKey[]) => JSON.stringify(path.map(String))

/** Finds the line of the value at a path, else of the nearest one around it. The text must be legal JSON. */
export function jsonLines(text: string): (path: readonly PropertyKey[]) => number {
  const lines = new Map<string, number>([[keyOf([]), 1]])
  const frames: Frame[] = []
  let line = 1
  let read = 0
  const note = () => {
    const key = keyOf(frames.map((frame) => frame.key ?? ''))
    if (!lines.has(key)) lines.set(key, line)
  }
  for (const { 0: part, index } of text.matchAll(token)) {
    line += text.slice(read, index).split('\n').length - 1
    read = index
    const frame = frames.at(-1)
    if (part === '}' || part === ']') frames.pop()
    else if (part === ',' && frame)
      frame.key = frame.isArray && typeof frame.key === 'number' ? frame.key + 1 : undefined
    else if (part !== ':') {
      if (frame && frame.key === undefined) frame.key = String(JSON.parse(part))
      note()
      if (part === '{') frames.push({ isArray: false, key: undefined })
      if (part === '[') frames.push({ isArray: true, key: 0 })
    }
  }
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const found = lines.get(keyOf(path.slice(0, length)))
      if (found !== undefined) return found
    }
    return 1
  }
}

function messageOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** A beginning of JSON that only lacks its end is told with a position, or as an unexpected end. */
const isBroken = (text: string) => !/^$|at position \d|end of JSON/.test(messageOf(text))

/** Characters up to and with the first that cannot be JSON, where the message does not say it. */
function soundUpTo(text: string): number {
  let [sound, broken] = [0, text.length]
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1
    if (isBroken(text.slice(0, middle))) broken = middle
    else sound = middle
  }
  return sound
}

/** Why a text is no JSON, and on which line it stops to be; `undefined` when it is JSON. */
export function faultOfJson(text: string): { line: number; message: string } | undefined {
  const message = messageOf(text)
  if (message === '') return undefined
  const told = /at position (\d+)/.exec(message)?.[1]
  const offset = told === undefined ? soundUpTo(text) : Number(told)
  return { line: text.slice(0, offset).split('\n').length, message }
}
