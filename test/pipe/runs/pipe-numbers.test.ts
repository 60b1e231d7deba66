/** Gauges of pipes: of a bounded number, whatever their names are, and without a question to the history in a scrape. */

import { expect, it } from 'vitest'
import { metrics } from '../../../src/http/metrics.ts'
import { showPipes } from '../../../src/pipe/runs/pipe-numbers.ts'
import type { Runs } from '../../../src/pipe/runs/run-history.ts'
import type { PipeSources } from '../../../src/pipe/sources/pipe-sources.ts'
import { pipeOf } from '../pipes.ts'
import { running, runsFixture } from './runs-fixture.ts'

type PipeEntry = ReturnType<PipeSources['list']>[number]

const entry = (name: string): PipeEntry => ({
  pipe: pipeOf(name, ['importing-test'], ['exporting-test']),
  source: 'pipes',
  file: `${name}.json`,
  trust: 'trusted',
  directory: '/pipes',
  problems: [],
})

/** Metrics over runs of pipes of these names, each with one that has ended. */
function shown(names: readonly string[], runs: Runs) {
  for (const pipe of names)
    runs.change(running(runs, { pipe }), { status: 'finished', outcome: 'complete' })
  const asked = { times: 0 }
  const made = metrics()
  showPipes(made, {
    runs: {
      list: (filter) => {
        asked.times += 1
        return runs.list(filter)
      },
      lastComplete: runs.lastComplete.bind(runs),
    },
    launcher: { load: () => ({ runs: 0, waiting: 0 }) },
    pipes: { list: () => names.map(entry) },
    triggers: { isLeader: () => true },
  })
  const series = async () =>
    (await made.registry.metrics()).split('\n').filter((line) => line.startsWith('cartulary_pipe_'))
  return { series, asked }
}

it('have series of their own for the first 200 pipes by name, and one sum for the rest', async () => {
  const names = Array.from({ length: 450 }, (_, n) => `pipe-${String(n).padStart(3, '0')}`)
  const { series, asked } = shown(names, runsFixture().open())
  const before = asked.times
  const lines = await series()
  expect(asked.times).toBe(before)
  // Four gauges with one value for each pipe, and one with five.
  expect(lines).toHaveLength(201 * 9)
  expect(lines).toContain('cartulary_pipe_last_run_failed{pipe="pipe-199"} 0')
  expect(lines).not.toContainEqual(expect.stringContaining('pipe-200'))
  expect(lines).toContain('cartulary_pipe_last_run_records{pipe="other",what="failed"} 0')
})

it.each([
  ['cartulary_pipe_last_run_failed', 'cartulary_pipe_last_run_failed'],
  ['a{pipe="b"} 1', 'a{pipe=\\"b\\"} 1'],
  ['line\nup 0', 'line\\nup 0'],
  ['back\\slash', 'back\\\\slash'],
  ['Flüsse 🌊', 'Flüsse 🌊'],
])('show the name %j as one value of a label', async (name, written) => {
  const lines = await shown([name], runsFixture().open()).series()
  expect(lines).toHaveLength(9)
  expect(lines).toContain(`cartulary_pipe_last_run_failed{pipe="${written}"} 0`)
})
