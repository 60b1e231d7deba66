/** The progress of long work: a line on a terminal, JSON lines where asked for, else nothing. */

import { describe, expect, it } from 'vitest'
import { progressLine, progressReporter, stepOfLine } from '../../src/program/progress.ts'
import { progressBar } from '../../src/console/text-output.ts'

const reporter = (isTTY: boolean, { isJson = false, isQuiet = false } = {}) => {
  const drawn: string[] = []
  const clock = { now: 0 }
  const stream = { isTTY, write: (text: string) => drawn.push(text) }
  return { drawn, clock, ...progressReporter({ stream, isJson, isQuiet, now: () => clock.now }) }
}

describe('the progress', () => {
  it('shows how much of how much, how fast, and what is left', () => {
    const step = { what: 'sending', done: 500, total: 2000, unit: 'datasets' }
    expect(progressLine(step, 210, 7.1)).toBe(
      'sending 500 of 2,000 datasets  25 %  210/s  8 s left',
    )
    const reading = { what: 'reading', done: 5e6, unit: 'MB' }
    expect(progressLine(reading, 2e6, undefined)).toBe('reading 5.0 MB  2.0 MB/s')
    expect(progressLine({ what: 'x', done: 0, total: 9 }, 0.01, 900)).toContain('15 min left')
  })

  it('is drawn five times a second at most, and not at all in a pipe or with --quiet', () => {
    for (const silent of [reporter(false), reporter(true, { isQuiet: true })]) {
      silent.show({ what: 'reading', done: 1 })
      silent.clear()
      expect(silent.drawn).toEqual([])
    }
    const { drawn, clock, show, clear } = reporter(true)
    for (clock.now = 0; clock.now < 1000; clock.now += 10)
      show({ what: 'sending', done: clock.now, total: 1000 })
    expect(drawn).toHaveLength(5)
    expect(drawn.at(-1)).toContain('sending 800 of 1,000  80 %  1,000/s  1 s left')
    clear()
    expect(drawn.at(-1)).toBe('\r\u001b[K')
  })

  it('is lines of JSON where they are asked for', () => {
    const { drawn, clock, show } = reporter(false, { isJson: true })
    show({ what: 'sending', done: 0, total: 100 })
    clock.now = 2000
    show({ what: 'sending', done: 20, total: 100 })
    expect(drawn.map((line): unknown => JSON.parse(line)).at(-1)).toEqual({
      progress: { what: 'sending', done: 20, total: 100, perSecond: 10, secondsLeft: 8 },
    })
  })

  it('is printed to the end, also when the last step comes too soon after the one before', () => {
    const { drawn, clock, show, clear } = reporter(false, { isJson: true })
    for (const done of [0, 40, 100]) {
      show({ what: 'sending', done, total: 100 })
      clock.now += 500
    }
    clear()
    clear()
    expect(drawn.map((line) => JSON.parse(line).progress.done)).toEqual([0, 100])
  })

  it('is read from the bars of the console', () => {
    expect(stepOfLine(progressBar(1234, 5000), 'reindex')).toEqual({
      what: 'reindex',
      done: 1234,
      total: 5000,
    })
    expect(stepOfLine(progressBar(7, undefined), 'x')).toEqual({ what: 'x', done: 7 })
    expect(stepOfLine('13 records indexed', 'x')).toBeUndefined()
  })
})
