/** Triggers whose pipe is gone: they stay, do nothing, and say so. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { schedulerFixture, type SchedulerFixture } from '../support/scheduler/scheduler-fixture.ts'
import { daily, nightly } from '../support/scheduler/trigger-bodies.ts'

let fixture: SchedulerFixture
afterEach(() => fixture.close())

describe('a pipe that is gone', () => {
  const gone = new Set<string>()
  const every = { id: 'often', status: 'enabled', interval: { unit: 'MINUTE', value: 1 } }
  const secretly = { ...nightly, configs: { 'importing-rdf': { headers: { token: 'abc' } } } }
  beforeEach(async () => {
    gone.clear()
    fixture = schedulerFixture({ gone })
    await fixture.put('/triggers', { city: [every, secretly], lake: [daily] })
    gone.add('city')
  })

  it('has triggers that stay and are inert, and fire again when it is back', async () => {
    await fixture.clock.advance(600_000)
    expect(fixture.launches).toEqual([])
    const [first, second] = (await fixture.get('/triggers/city')).body
    expect(first).toEqual({ ...every, problem: 'pipe missing' })
    expect(second).toMatchObject({ id: 'nightly', problem: 'pipe missing' })
    expect(second).not.toHaveProperty('next')
    gone.clear()
    await fixture.clock.advance(60_000)
    expect(fixture.launches).toMatchObject([{ pipe: 'city', trigger: 'often' }])
    expect((await fixture.get('/triggers/city')).body[0]).not.toHaveProperty('problem')
  })

  it('is not what fires next', async () => {
    await fixture.clock.advance(1000)
    const [lake] = fixture.triggers.of('lake')
    expect([fixture.triggers.next(), lake?.next]).toEqual([lake?.next, expect.any(Number)])
    gone.clear()
    const [often] = fixture.triggers.of('city')
    expect(fixture.triggers.next()).toBe(often?.next)
    gone.add('city').add('lake')
    expect(fixture.triggers.next()).toBeUndefined()
  })

  it('lets all triggers be read and sent again', async () => {
    const all = (await fixture.get('/triggers')).body
    const answer = await fixture.put('/triggers', all)
    expect([answer.status, answer.body]).toEqual([200, all])
    expect(fixture.triggers.of('city')[1]?.configs).toEqual(secretly.configs)
  })

  it.each([
    ['one less', [every]],
    ['another rhythm', [{ ...every, interval: { unit: 'HOUR', value: 1 } }, secretly]],
    ['another status', [{ ...every, status: 'disabled' }, secretly]],
  ])('has triggers that cannot be changed: %s', async (_, city) => {
    const answer = await fixture.put('/triggers', { city, lake: [daily] })
    expect([answer.status, answer.body.type]).toEqual([404, 'urn:cartulary:problem:unknown-pipe'])
  })
})
