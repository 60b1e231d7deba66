/** Whatever happens to a launcher, in whatever order: no run stays running. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { hasEnded } from '../../../src/pipe/runs/run.ts'
import { runsFixture, type RunsFixture } from '../runs/runs-fixture.ts'
import { launcherFixture, timeoutSignal, type LauncherFixture } from './launcher-fixture.ts'

type Act =
  | {
      readonly act: 'launch'
      readonly pipe: string
      readonly mode: 'drop' | 'restart' | 'append' | 'concurrent'
      readonly dry: boolean
    }
  | { readonly act: 'cancel' | 'resume' | 'retry'; readonly which: number }
  | { readonly act: 'kill' | 'stop' | 'release' | 'breathe' }
  | { readonly act: 'wait'; readonly ms: number }

const which = fc.nat(20)
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('launch' as const),
      pipe: fc.constantFrom('city', 'slow', 'deaf', 'broken', 'short', 'typo'),
      mode: fc.constantFrom('drop', 'restart', 'append', 'concurrent'),
      dry: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constantFrom('cancel' as const, 'resume' as const, 'retry' as const),
      which,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constantFrom(
        'kill' as const,
        'stop' as const,
        'release' as const,
        'breathe' as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('wait' as const),
      ms: fc.constantFrom(5000, 70_000, 700_000, 90_000_000),
    }),
  },
)

/** What is refused is refused with a word; everything else is a fault. */
async function done(one: Act, now: LauncherFixture): Promise<LauncherFixture> {
  const { launcher, runs, place, stage } = now
  if (one.act === 'launch') {
    launcher.launch({ pipe: one.pipe, startMode: one.mode, dryRun: one.dry, startedBy: 'api' })
  }
  if (one.act === 'cancel' || one.act === 'resume' || one.act === 'retry') {
    const all = runs.list({ offset: 0, limit: 100 })
    const run = all[one.which % Math.max(1, all.length)]
    const { act } = one
    if (run) await (async () => launcher[act](run.id))().catch(mayBeRefused)
  }
  if (one.act === 'release') stage.release()
  if (one.act === 'breathe') await new Promise((resolve) => setTimeout(resolve, 8))
  if (one.act === 'wait') place.at += one.ms
  if (one.act === 'kill') return next(now, place.killed())
  if (one.act === 'stop') {
    await launcher.stop()
    return next(now, place.killed())
  }
  return now
}

/** A step that the state of a run does not allow; anything else is a fault. */
function mayBeRefused(error: unknown): void {
  if (!(error instanceof Failure) || error.kind !== 'conflict') throw error
}

/** The next process over what the last one left. */
async function next(now: LauncherFixture, place: RunsFixture): Promise<LauncherFixture> {
  const fresh = await launcherFixture({ atOnce: 2 }, place)
  // What was killed does nothing any more that anybody sees; it is ended so that tests do not pile up.
  await now.launcher.stop()
  return fresh
}

describe('any history of launches, cancels, kills and waits', () => {
  it('ends with every run ended, each with its end in time, and items that agree with the counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
        let now = await launcherFixture({ atOnce: 2 }, runsFixture())
        for (const one of acts) now = await done(one, now)
        const { launcher, runs, place } = now
        // Past every deadline: whatever hangs is told to stop.
        place.at += 7 * 3_600_000
        for (const run of launcher.active()) {
          place.at += 7 * 3_600_000
          await launcher.waitForEnd(run.id, timeoutSignal())
        }
        expect(launcher.active()).toEqual([])
        for (const run of runs.list({ offset: 0, limit: 1000 })) {
          expect(hasEnded(run), `${run.pipe} is ${run.status}`).toBe(true)
          expect(run.endTime).toBeDefined()
          expect(run.outcome === undefined).toBe(run.status !== 'finished')
          const items = [...runs.items(run.id)].map(({ state }) => state)
          expect(items.filter((state) => state === 'created')).toHaveLength(run.counts.created)
          expect(items.filter((state) => state === 'failed')).toHaveLength(run.counts.failed)
        }
        await launcher.stop()
      }),
      { numRuns: 40 },
    )
  })
})
