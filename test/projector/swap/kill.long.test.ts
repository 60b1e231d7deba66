/** `kill -9` in the middle of a rebuild: the old documents or the new ones are there, whole, and the rebuild goes on. */

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { platform } from './platform.ts'

const program = new URL('dying.ts', import.meta.url).pathname
const ids = Array.from({ length: 400 }, (_, n) => `d-${n}`)

/** Under the load of other tests a start takes its time. */
const long = 240_000

/** Runs until so many writes are acknowledged, then kills; the lines of the process. */
function killed(directory: string, version: number, first: number, writes: number) {
  const child = spawn(process.execPath, [program, directory, String(version), String(first)])
  let output = ''
  let wrong = ''
  return new Promise<string[]>((resolve, reject) => {
    child.stderr.on('data', (text) => (wrong += String(text)))
    child.stdout.on('data', (text) => {
      output += String(text)
      if (output.split('wrote').length > writes) child.kill('SIGKILL')
    })
    child.on('exit', (_, signal) => {
      if (signal === 'SIGKILL') resolve(output.split('\n').slice(0, -1))
      else reject(new Error(`ended by itself: ${wrong}`))
    })
  })
}

it(
  'a rebuild that is killed again and again, under this profile and the next, never shows a gap and ends whole',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
    const made = await platform(directory, 1)
    await made.populate(ids)
    const first = await made.start()
    await first.idle(AbortSignal.timeout(long))
    await first.stop()
    await made.close()

    const acknowledged: number[] = []
    const rounds = [
      { version: 2, writes: 1 },
      { version: 3, writes: 1 },
      { version: 2, writes: 3 },
    ]
    for (const [round, { version, writes }] of rounds.entries()) {
      const lines = await killed(directory, version, round * 1000, writes)
      const numbers = (word: string) =>
        lines.flatMap((line) => (line.startsWith(word) ? [Number(line.split(' ')[1])] : []))
      expect(numbers('found')[0]).toBeGreaterThanOrEqual(ids.length + acknowledged.length)
      acknowledged.push(...numbers('wrote'))
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(5)

    const last = await platform(directory, 2)
    const running = await last.start()
    const all = ids.length + acknowledged.length
    expect((await last.search('dataset')).count).toBeGreaterThanOrEqual(all)
    await running.idle(AbortSignal.timeout(long))
    expect(running.rebuilding()).toEqual([])
    for (const n of acknowledged) expect((await last.search(`word${n}`)).count).toBe(1)
    const entries = await last.index.entries('dataset', '', 1000)
    expect(ids.filter((id) => !entries.some((entry) => entry.id === id))).toEqual([])
    expect(await last.index.missingIds('dataset', ids)).toEqual([])
    await running.stop()
    await last.close()
    await rm(directory, { recursive: true, force: true })
  },
  long,
)
