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

/** The line at which a text stops being JSON, by the message of `JSON.parse`. */
export function faultLine(text: string, message: string): number {
  const offset = /at position (\d+)/.exec(message)?.[1]
  return text.slice(0, offset === undefined ? text.length : Number(offset)).split('\n').length
}
