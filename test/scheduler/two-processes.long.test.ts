/** Two processes on one data directory: one fires, and the other takes over when the first is killed. */

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { openRuns } from '../../src/pipe/runs/run-history.ts'
import { openTriggerFile } from '../../src/scheduler/trigger-file.ts'
import { pause, silent } from '../pipe/runs/runs-fixture.ts'

const program = new URL('../support/scheduler/firing-process.ts', import.meta.url).pathname
let directory: string
let processes: ChildProcess[]
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cartulary-two-'))
  processes = []
})
afterEach(async () => {
  await Promise.all(processes.map(kill))
  rmSync(directory, { recursive: true, force: true })
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

function scheduler(path: string, ...death: readonly string[]) {
  const words = [program, path, ...death]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  processes.push(child)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  const lines = () => text.split('\n').slice(0, -1)
  return {
    child,
    says: (word: string) => lines().includes(word),
    firings: () =>
      lines()
        .filter((line) => line.startsWith('fired'))
        .map((line) => {
          const [, pipe = '', time] = line.split(' ')
          return { pipe, time: Number(time) }
        }),
  }
}

it('each second is fired by one of them only, and a killed one is replaced at once', async () => {
  const path = join(directory, 'triggers.sqlite')
  const anchor = Math.floor(Date.now() / 1000) * 1000
  const file = openTriggerFile(path)
  const timing = { kind: 'interval', unit: 'SECOND', value: 1, anchor } as const
  for (const pipe of ['a', 'b', 'c'])
    file.put({ pipe, id: 'one', status: 'enabled', timing, since: 0 }, 0)
  file.close()

  const first = scheduler(path)
  await expect.poll(() => first.says('leads')).toBe(true)
  const second = scheduler(path)
  await expect.poll(() => second.says('open')).toBe(true)
  await expect.poll(() => first.firings().length).toBeGreaterThanOrEqual(9)
  expect(second.says('leads')).toBe(false)
  expect(second.firings()).toEqual([])

  await kill(first.child)
  await expect.poll(() => second.firings().length).toBeGreaterThanOrEqual(6)
  expect(second.says('leads')).toBe(true)
  // A firing belongs to the second in which it was due: no pipe has two of the same one.
  const all = [...first.firings(), ...second.firings()]
  const seconds = all.map(({ pipe, time }) => `${pipe} ${Math.floor((time - anchor) / 1000)}`)
  expect(new Set(seconds).size).toBe(seconds.length)
})

/** How many runs each pipe has, by its name. */
function runsIn(path: string) {
  const runs = openRuns({ path, owner: 'reader', now: Date.now, pause, log: silent })
  onTestFinished(() => runs.close())
  return () => {
    const pipes = runs.list({ offset: 0, limit: 1000 }).map(({ pipe }) => pipe)
    return Object.fromEntries(
      [...Map.groupBy(pipes, String)].map(([name, all]) => [name, all.length]),
    )
  }
}

it.each(['claimed', 'amid', 'made'])(
  'a group of firings is launched whole, and once, when a process dies with it %s',
  async (moment) => {
    const path = join(directory, 'triggers.sqlite')
    const made = runsIn(`${path}.runs`)
    const first = scheduler(path, moment)
    await expect.poll(() => first.says('leads')).toBe(true)
    const second = scheduler(path)
    await expect.poll(() => second.says('open')).toBe(true)

    const file = openTriggerFile(path)
    onTestFinished(() => file.close())
    const soon = (names: readonly string[]) => {
      const timing = { kind: 'specific', times: [Date.now() + 400] } as const
      file.transaction(() => {
        for (const pipe of names)
          file.put({ pipe, id: 'one', status: 'enabled', timing, since: 0 }, 0)
      })
    }
    const group = Array.from({ length: 50 }, (_, number) => `pipe-${number}`)
    soon(group)
    await expect.poll(() => first.child.signalCode).toBe('SIGKILL')
    await expect.poll(() => second.says('leads')).toBe(true)
    // What the second one owes comes no later than what is due afterwards.
    soon(['afterwards'])
    await expect.poll(() => made()['afterwards']).toBe(1)
    expect(made()).toEqual(Object.fromEntries([...group, 'afterwards'].map((name) => [name, 1])))
  },
)
