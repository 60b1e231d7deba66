/** The lines that were sent, walked through with the arrow keys. */

const mostRemembered = 200

export function past() {
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
