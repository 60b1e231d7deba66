/** Generations of Meilisearch indices: which answers, which is filled, and what a crash between two steps leaves. */

import { beforeEach, describe, expect, it } from 'vitest'
import { uidsOf } from '../../../../src/search-index/meilisearch/attributes.ts'
import { EngineState } from '../../../../src/search-index/meilisearch/engine-state.ts'
import type { IndexSettings } from '../../../../src/search-index/index-settings.ts'
import { settings as corpus } from '../../../contracts/search-index-corpus.ts'
import { fake } from './fake.ts'

const uids = uidsOf('p_')
const [dataset, catalogue] = [corpus[0]!, corpus[1]!]
const other = (basis: string): IndexSettings[] => [{ ...dataset, basis }, catalogue]
const settings = [dataset, catalogue]

let engine: ReturnType<typeof fake>
let state: EngineState
/** Another process on the same server. */
const restart = (languages = ['en', 'de']) => {
  engine.left.steps = Infinity
  state = new EngineState({ uids, ...engine, languages })
}
const fill = (uid: string, documents: number) => {
  engine.held.get(uid)!.documents = documents
}
/** Everything whole, with documents. */
const whole = async () => {
  for (const index of await state.configure(settings)) await state.finish(index)
  fill('p_dataset', 10)
  fill('p_catalogue', 2)
  fill('p_term', 50)
}

beforeEach(() => {
  engine = fake()
  restart()
})

describe('the first start', () => {
  it('has everything to fill, and answers from what it fills', async () => {
    expect(await state.configure(settings)).toEqual(['dataset', 'catalogue'])
    expect(state.current).toEqual(settings)
    expect(state.fillingGeneration('dataset')?.uid).toBe('p_dataset')
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
    expect(engine.log.filter((step) => /make|drop|swap/.test(step))).toEqual([])
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
    restart()
    expect(await state.configure(other('2'))).toEqual(['dataset'])
    expect(state.current).toEqual(settings)
    expect(state.searched.get('dataset')).toMatchObject({
      uid: 'p_dataset',
      next: { uid: 'p_dataset_next', settings: { basis: '2' } },
    })
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
    fill('p_dataset', 0)
    expect(await state.configure(other('2'))).toEqual(['dataset'])
    expect(state.fillingGeneration('dataset')?.uid).toBe('p_dataset')
  })

  it('drops what is not named any more', async () => {
    await whole()
    await state.configure(other('2'))
    await state.configure([catalogue])
    expect([...engine.held.keys()].filter((uid) => uid.includes('dataset'))).toEqual([])
    expect(state.current).toEqual([catalogue])
  })

  it('fills again what somebody took away, and all when the terms are lost', async () => {
    await whole()
    engine.held.delete('p_catalogue')
    restart()
    expect(await state.configure(settings)).toEqual(['catalogue'])
    await state.finish('catalogue')
    fill('p_catalogue', 2)
    fill('p_term', 0)
    restart()
    expect(await state.configure(settings)).toEqual(['dataset', 'catalogue'])
    expect(state.fillingGeneration('dataset')?.uid).toBe('p_dataset_next')
  })
})

describe('a swap', () => {
  beforeEach(async () => {
    await whole()
    await state.configure(other('2'))
    fill('p_dataset_next', 11)
  })
  const answers = () => [engine.held.get('p_dataset')?.documents, state.current[0]?.basis]

  it('makes the new one answer and drops the old one', async () => {
    await state.finish('dataset')
    expect(answers()).toEqual([11, '2'])
    expect(engine.held.has('p_dataset_next')).toBe(false)
    engine.log.length = 0
    await state.finish('dataset')
    expect(engine.log).toEqual([])
  })

  it.each([0, 1, 2])('that ends after %i steps is known by the next process', async (steps) => {
    engine.left.steps = steps
    await expect(state.finish('dataset')).rejects.toThrow('away')
    restart()
    const isSwapped = steps > 0
    expect(await state.configure(other('2'))).toEqual(isSwapped ? [] : ['dataset'])
    expect(answers()).toEqual(isSwapped ? [11, '2'] : [10, '1'])
    expect(engine.held.has('p_dataset_next')).toBe(!isSwapped)
  })

  it.each([0, 1, 2])(
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
