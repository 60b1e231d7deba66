/** Generations of Meilisearch indices: which answers, which is filled, and what a crash between two steps leaves. */

import { beforeEach, describe, expect, it } from 'vitest'
import { uidsOf } from '../../../../src/search-index/meilisearch/attributes.ts'
import { engineState } from '../../../../src/search-index/meilisearch/engine-generations.ts'
import type { GenerationState } from '../../../../src/search-index/remote/generation-state.ts'
import type { IndexName, IndexSettings } from '../../../../src/search-index/index-settings.ts'
import { settings as corpus } from '../../../contracts/search-index-corpus.ts'
import { fake } from './fake.ts'

const uids = uidsOf('p_')
const [dataset, catalogue] = [corpus[0]!, corpus[1]!]
const other = (basis: string): IndexSettings[] => [{ ...dataset, basis }, catalogue]
const settings = [dataset, catalogue]

let engine: ReturnType<typeof fake>
let state: GenerationState
/** Indices that a cursor reads. */
const read = new Set<string>()
/** Another process on the same server. */
const restart = (languages = ['en', 'de']) => {
  engine.left.steps = Infinity
  state = engineState(engine.indices, uids, { languages, isRead: (uid) => read.has(uid) })
}
const fill = (uid: string, documents: number) => {
  engine.held.get(uid)!.documents = documents
}
const searchedUid = (index: IndexName) => state.searched.get(index)!.uid
/** Indices with documents of datasets. */
const datasets = () => [...engine.held.keys()].filter((uid) => uid.includes('dataset'))
/** Everything whole, with documents. */
const whole = async () => {
  for (const index of await state.configure(settings)) await state.finish(index)
  fill(searchedUid('dataset'), 10)
  fill(searchedUid('catalogue'), 2)
  fill('p_term', 50)
}

beforeEach(() => {
  engine = fake()
  read.clear()
  restart()
})

describe('the first start', () => {
  it('has everything to fill, and answers from what it fills', async () => {
    expect(await state.configure(settings)).toEqual(['dataset', 'catalogue'])
    expect(state.current).toEqual(settings)
    expect(state.fillingGeneration('dataset')?.uid).toMatch(/^p_dataset_g[0-9a-f]{8}$/)
    await state.finish('dataset')
    expect(state.fillingGeneration('dataset')).toBeUndefined()
    expect(await state.configure(settings)).toEqual(['catalogue'])
  })

  it('answers nothing before, not even that there is nothing', () => {
    expect(() => state.requireConfigured()).toThrow('engine-unavailable')
  })
})

describe('the next start', () => {
  it('has nothing to do under the same settings, however often', async () => {
    await whole()
    restart()
    engine.log.length = 0
    expect(await state.configure(settings)).toEqual([])
    expect(engine.log.filter((step) => /make|drop p_dataset|drop p_catalogue/.test(step))).toEqual(
      [],
    )
  })

  it('takes over weights and titles without writing documents anew', async () => {
    await whole()
    restart()
    const heavy = [{ ...dataset, texts: dataset.texts.map((one) => ({ ...one, boost: 9 })) }]
    expect(await state.configure([...heavy, catalogue])).toEqual([])
    expect(state.current[0]?.texts[0]?.boost).toBe(9)
  })

  it('fills beside what answers when settings or languages are others', async () => {
    await whole()
    const uid = searchedUid('dataset')
    restart()
    expect(await state.configure(other('2'))).toEqual(['dataset'])
    expect(state.current).toEqual(settings)
    expect(state.searched.get('dataset')).toMatchObject({ uid, next: { settings: { basis: '2' } } })
    expect(datasets()).toHaveLength(2)
    restart(['en'])
    expect(await state.configure(settings)).toEqual(['dataset', 'catalogue'])
  })

  it('goes on with what an earlier one began to fill', async () => {
    await whole()
    await state.configure(other('2'))
    const mark = state.fillingGeneration('dataset')?.instance
    restart()
    expect(await state.configure(other('2'))).toEqual(['dataset'])
    expect(state.fillingGeneration('dataset')?.instance).toBe(mark)
  })

  it('begins again for third settings, also when they are those that answer', async () => {
    await whole()
    await state.configure(other('2'))
    const mark = state.fillingGeneration('dataset')?.instance
    expect(await state.configure(settings)).toEqual(['dataset'])
    expect(state.fillingGeneration('dataset')?.instance).not.toBe(mark)
  })

  it('fills in place what holds no documents', async () => {
    await whole()
    fill(searchedUid('dataset'), 0)
    expect(await state.configure(other('2'))).toEqual(['dataset'])
    expect(state.fillingGeneration('dataset')?.uid).toBe(searchedUid('dataset'))
    expect(datasets()).toEqual([searchedUid('dataset')])
  })

  it('drops what is not named any more', async () => {
    await whole()
    await state.configure(other('2'))
    await state.configure([catalogue])
    expect(datasets()).toEqual([])
    expect(state.current).toEqual([catalogue])
  })

  it('fills again what somebody took away, and all when the terms are lost', async () => {
    await whole()
    engine.held.delete(searchedUid('catalogue'))
    restart()
    expect(await state.configure(settings)).toEqual(['catalogue'])
    await state.finish('catalogue')
    fill(searchedUid('catalogue'), 2)
    fill('p_term', 0)
    const uid = searchedUid('dataset')
    restart()
    expect(await state.configure(settings)).toEqual(['dataset', 'catalogue'])
    expect(searchedUid('dataset')).toBe(uid)
    expect(state.fillingGeneration('dataset')?.uid).not.toBe(uid)
  })
})

describe('the end of a filling', () => {
  beforeEach(async () => {
    await whole()
    await state.configure(other('2'))
    fill(state.fillingGeneration('dataset')!.uid, 11)
  })
  const answers = () => [
    engine.held.get(searchedUid('dataset'))?.documents,
    state.current[0]?.basis,
  ]

  it('makes the new one answer and drops the old one', async () => {
    await state.finish('dataset')
    expect(answers()).toEqual([11, '2'])
    expect(datasets()).toHaveLength(1)
    engine.log.length = 0
    await state.finish('dataset')
    expect(engine.log).toEqual([])
  })

  it('leaves the old one to a cursor, until it is not read any more', async () => {
    const old = searchedUid('dataset')
    read.add(old)
    await state.finish('dataset')
    expect(answers()).toEqual([11, '2'])
    await state.configure(other('2'))
    expect(datasets()).toHaveLength(2)
    read.clear()
    await state.dropRetired()
    expect(datasets()).toEqual([searchedUid('dataset')])
  })

  it.each([0, 1])('that ends after %i steps is known by the next process', async (steps) => {
    engine.left.steps = steps
    await expect(state.finish('dataset')).rejects.toThrow('away')
    restart()
    const isDone = steps > 0
    expect(await state.configure(other('2'))).toEqual(isDone ? [] : ['dataset'])
    expect(answers()).toEqual(isDone ? [11, '2'] : [10, '1'])
    expect(datasets()).toHaveLength(isDone ? 1 : 2)
  })

  it.each([0, 1])(
    'that ends after %i steps is known by this process before it writes',
    async (steps) => {
      engine.left.steps = steps
      await expect(state.finish('dataset')).rejects.toThrow('away')
      engine.left.steps = Infinity
      await state.resolveUncertainty()
      expect(answers()).toEqual(steps > 0 ? [11, '2'] : [10, '1'])
      await state.finish('dataset')
      expect(answers()).toEqual([11, '2'])
    },
  )
})

describe('indices of a release that swapped them', () => {
  /** Gives an index the name that it had then. */
  const rename = (uid: string, former: string) => {
    engine.held.set(former, engine.held.get(uid)!)
    engine.held.delete(uid)
  }

  it('answer, and one that was begun to be filled is filled to its end', async () => {
    await whole()
    await state.configure(other('2'))
    rename(state.fillingGeneration('dataset')!.uid, 'p_dataset_next')
    rename(searchedUid('dataset'), 'p_dataset')
    restart()
    expect(await state.configure(other('2'))).toEqual(['dataset'])
    expect(state.searched.get('dataset')).toMatchObject({
      uid: 'p_dataset',
      next: { uid: 'p_dataset_next' },
    })
    await state.finish('dataset')
    expect(datasets()).toEqual(['p_dataset_next'])
  })

  it('of another platform, whose prefix begins with this one, are left alone', async () => {
    await whole()
    rename(searchedUid('dataset'), 'p_x_dataset')
    restart()
    expect(await state.configure(settings)).toEqual(['dataset'])
    expect(engine.held.has('p_x_dataset')).toBe(true)
  })
})
