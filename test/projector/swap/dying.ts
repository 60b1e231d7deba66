/** A process that rebuilds and takes writes until it is killed; one line per acknowledged write. */

import { platform } from './platform.ts'

const [, , directory = '', version = '1', first = '0'] = process.argv
const made = await platform(directory, Number(version))
const projected = await made.start()
const { count } = await made.search('dataset')
process.stdout.write(`found ${count}\n`)
for (let n = Number(first); ; n++) {
  const [state] = projected.rebuilding()
  process.stdout.write(`done ${state?.done ?? 'all'}\n`)
  const id = `w-${n}`
  if (await made.write(projected, id, `dataset word${n}`, AbortSignal.timeout(60_000)))
    process.stdout.write(`wrote ${n}\n`)
}
