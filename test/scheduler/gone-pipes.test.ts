/** Triggers whose pipe is gone: they stay, do nothing, and say so. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { schedulerStation, type SchedulerStation } from '../support/scheduler/station.ts'
import { daily, nightly } from '../support/scheduler/wishes.ts'

let station: SchedulerStation
afterEach(() => station.close())

describe('a pipe that is gone', () => {
  const gone = new Set<string>()
  const every = { id: 'often', status: 'enabled', interval: { unit: 'MINUTE', value: 1 } }
  const secretly = { ...nightly, configs: { 'importing-rdf': { headers: { token: 'abc' } } } }
  beforeEach(async () => {
    gone.clear()
    station = schedulerStation({ gone })
    await station.put('/triggers', { city: [every, secretly], lake: [daily] })
    gone.add('city')
  })

  it('has triggers that stay and are inert, and fire again when it is back', async () => {
    await station.clock.advance(600_000)
    expect(station.launches).toEqual([])
    const [first, second] = (await station.get('/triggers/city')).body
    expect(first).toEqual({ ...every, problem: 'pipe missing' })
    expect(second).toMatchObject({ id: 'nightly', problem: 'pipe missing' })
    expect(second).not.toHaveProperty('next')
    gone.clear()
    await station.clock.advance(60_000)
    expect(station.launches).toMatchObject([{ pipe: 'city', trigger: 'often' }])
    expect((await station.get('/triggers/city')).body[0]).not.toHaveProperty('problem')
  })

  it('is not what fires next', async () => {
    await station.clock.advance(1000)
    const [lake] = station.triggers.of('lake')
    expect([station.triggers.next(), lake?.next]).toEqual([lake?.next, expect.any(Number)])
    gone.clear()
    const [often] = station.triggers.of('city')
    expect(station.triggers.next()).toBe(often?.next)
    gone.add('city').add('lake')
    expect(station.triggers.next()).toBeUndefined()
  })

  it('lets all triggers be read and sent again', async () => {
    const all = (await station.get('/triggers')).body
    const answer = await station.put('/triggers', all)
    expect([answer.status, answer.body]).toEqual([200, all])
    expect(station.triggers.of('city')[1]?.configs).toEqual(secretly.configs)
  })

  it.each([
    ['one less', [every]],
    ['another rhythm', [{ ...every, interval: { unit: 'HOUR', value: 1 } }, secretly]],
    ['another status', [{ ...every, status: 'disabled' }, secretly]],
  ])('has triggers that cannot be changed: %s', async (_, city) => {
    const answer = await station.put('/triggers', { city, lake: [daily] })
    expect([answer.status, answer.body.type]).toEqual([404, 'urn:cartulary:problem:unknown-pipe'])
  })
})
