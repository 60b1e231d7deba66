import { describe, expect, test } from 'vitest'
import { transportLimits } from '../../../src/pipe/transport/transport-limits.ts'
import {
  importEnding,
  transformEnding,
  type Imported,
  type Transformed,
} from '../../../src/pipe/transport/remote-output.ts'

const list = { kind: 'list', ids: new Set(['a', 'b']), complete: true } as const
const [began, last] = [100_000, 200_000]

const imported = (given: Partial<Imported>) =>
  importEnding(
    { began, last, records: 2, total: undefined, list: undefined, missing: 0, ...given },
    transportLimits,
  )

/** Seconds after the last message when that is decided, and what. */
const decided = ({ at, kind }: ReturnType<typeof importEnding>) => [
  Math.max(0, at - last) / 1000,
  kind,
]

describe('an importer is finished', () => {
  test.each<[string, Partial<Imported>, number, string]>([
    ['when all ids of its list have come', { list }, 0, 'done'],
    [
      '10 s after the last message when ids of its list are missing',
      { list, missing: 1 },
      10,
      'listed',
    ],
    [
      'when as many came as a platform says that it has sent',
      { list: { ...list, records: 1 }, missing: 1 },
      0,
      'done',
    ],
    [
      '10 s after the last message when a platform has sent more',
      { list: { ...list, records: 3 } },
      10,
      'listed',
    ],
    ['1 s after as many records as were announced', { total: 2 }, 1, 'done'],
    ['after 120 s of silence when more were announced', { total: 3 }, 120, 'endless'],
    ['after 120 s of silence when nothing was announced', {}, 120, 'endless'],
  ])('%s', (_, given, after, kind) => {
    expect(decided(imported(given))).toEqual([after, kind])
  })

  test('and failed when it gave nothing within 120 s', () => {
    const nothing = { records: 0, began: last }
    expect(decided(imported(nothing))).toEqual([120, 'silent'])
    expect(imported(nothing)).toMatchObject({ problem: { kind: 'segment-silent' } })
  })
})

describe('a transformer is finished', () => {
  const six: Transformed = {
    last,
    sent: 6,
    returned: 5,
    out: 1,
    wantsList: true,
    hasList: true,
    slowestMs: 30,
  }
  test.each<[string, Partial<Transformed>, number, string]>([
    ['when everything has come back', { out: 0, returned: 6 }, 0, 'done'],
    [
      'when everything has come back and there is no list',
      { out: 0, wantsList: false, hasList: false },
      0,
      'done',
    ],
    ['2 s after its list came back, and what is out is dropped', {}, 2, 'dropped'],
    ['10 s after the last message without its list', { hasList: false }, 10, 'dropped'],
    [
      'after five times as long as its slowest record took',
      { hasList: false, slowestMs: 4000 },
      20,
      'dropped',
    ],
    ['and dropped every one when the list alone came back', { returned: 0, out: 6 }, 2, 'dropped'],
    [
      '10 s after the last message when only the list is missing',
      { out: 0, hasList: false },
      10,
      'dropped',
    ],
    [
      'and failed when nothing came back at all',
      { returned: 0, out: 6, hasList: false },
      10,
      'silent',
    ],
  ])('%s', (_, given, after, kind) => {
    expect(decided(transformEnding({ ...six, ...given }, transportLimits))).toEqual([after, kind])
  })
})
