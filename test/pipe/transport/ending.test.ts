import { describe, expect, test } from 'vitest'
import { record as recordOf } from './transport-fixture.ts'
import { transportLimits } from '../../../src/pipe/transport/transport-limits.ts'
import {
  importEnding,
  transformEnding,
  type SegmentProgress,
} from '../../../src/pipe/transport/endings.ts'

const list = { kind: 'list', ids: new Set(['a', 'b']), complete: true } as const
const [startedAt, lastActivity] = [100_000, 200_000]

const nothing = { startedAt, lastActivity, accepted: 0, returned: 0, slowestMs: 0 }
const sets = {
  missingIds: new Set<string>(),
  pending: new Map<string, never>(),
  messageKeys: new Set<string>(),
}

const imported = (given: Partial<SegmentProgress>) =>
  importEnding({ ...nothing, ...sets, returned: 2, ...given }, transportLimits)

/** Seconds after the last message when that is decided, and what. */
const decided = ({ at, kind }: ReturnType<typeof importEnding>) => [
  Math.max(0, at - lastActivity) / 1000,
  kind,
]

describe('an importer is finished', () => {
  test.each<[string, Partial<SegmentProgress>, number, string]>([
    ['when all ids of its list have come', { list }, 0, 'done'],
    [
      '10 s after the last message when ids of its list are missing',
      { list, missingIds: new Set(['b']) },
      10,
      'listed',
    ],
    [
      'when as many came as a platform says that it has sent',
      { list: { ...list, records: 1 }, missingIds: new Set(['b']) },
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
    const none = { returned: 0, startedAt: lastActivity }
    expect(decided(imported(none))).toEqual([120, 'silent'])
    expect(imported(none)).toMatchObject({ problem: { kind: 'segment-silent' } })
  })
})

describe('a transformer is finished', () => {
  const pending = (count: number): SegmentProgress['pending'] =>
    new Map(
      Array.from({ length: count }, (_, n) => [
        `o${n}`,
        { record: recordOf(n), number: n + 1, sentAt: startedAt },
      ]),
    )
  const seen = (count: number) => new Set(Array.from({ length: count }, (_, n) => `key-${n}`))
  const six: SegmentProgress = {
    ...nothing,
    ...sets,
    accepted: 6,
    messageKeys: seen(5),
    pending: pending(1),
    list,
    slowestMs: 30,
  }
  test.each<
    [
      string,
      Partial<SegmentProgress> & { readonly wantsList?: boolean; readonly hasList?: boolean },
      number,
      string,
    ]
  >([
    ['when everything has come back', { pending: pending(0), messageKeys: seen(6) }, 0, 'done'],
    [
      'when everything has come back and there is no list',
      { pending: pending(0), wantsList: false, hasList: false },
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
    [
      'and dropped every one when the list alone came back',
      { messageKeys: seen(0), pending: pending(6) },
      2,
      'dropped',
    ],
    [
      '10 s after the last message when only the list is missing',
      { pending: pending(0), hasList: false },
      10,
      'dropped',
    ],
    [
      'and failed when nothing came back at all',
      { messageKeys: seen(0), pending: pending(6), hasList: false },
      10,
      'silent',
    ],
  ])('%s', (_, { wantsList = true, hasList = true, ...given }, after, kind) => {
    const { list: _list, ...bare } = { ...six, ...given }
    const state = hasList ? { ...bare, list } : bare
    expect(decided(transformEnding(state, wantsList, transportLimits))).toEqual([after, kind])
  })
})
