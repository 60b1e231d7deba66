/** Triggers through the door: what is set, shown and refused. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  pipeNamed,
  schedulerFixture,
  type SchedulerFixture,
} from '../support/scheduler/scheduler-fixture.ts'
import { daily, nightly } from '../support/scheduler/trigger-bodies.ts'

let fixture: SchedulerFixture
beforeEach(() => {
  fixture = schedulerFixture()
})
afterEach(() => fixture.close())

/** Only the last second is lived through. */
async function sleepUntil(instant: string) {
  fixture.clock.jump(Date.parse(instant) - fixture.clock.now() - 1000)
  await fixture.clock.advance(1000)
}

const now = { id: 'now', status: 'enabled' }

describe('PUT /triggers', () => {
  it('takes an array whose ids name pipes', async () => {
    const answer = await fixture.put('/triggers', [
      { ...daily, id: 'city' },
      { ...nightly, id: 'city' },
      { ...nightly, id: 'id-of-lake' },
    ])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      city: [
        { ...daily, id: 'city' },
        { ...nightly, id: 'city-2', next: '2026-11-22T03:00:00Z' },
      ],
      lake: [{ ...nightly, id: 'id-of-lake', next: '2026-11-22T03:00:00Z' }],
    })
  })

  it('takes an object from pipe to array, and pipes that are not named lose theirs', async () => {
    await fixture.put('/triggers', { city: [daily], lake: [daily] })
    const answer = await fixture.put('/triggers', { lake: [nightly] })
    expect(Object.keys(answer.body)).toEqual(['lake'])
    expect((await fixture.get('/triggers')).body).toEqual(answer.body)
  })

  it.each([[[]], [{}]])('clears all with %j', async (body) => {
    await fixture.put('/triggers', { city: [daily] })
    expect((await fixture.put('/triggers', body)).body).toEqual({})
  })

  it('starts immediate ones and does not keep them; alone they leave the others as they are', async () => {
    await fixture.put('/triggers', { city: [daily] })
    const alone = await fixture.put('/triggers', { lake: [now] })
    expect(alone.body).toEqual({ city: [daily] })
    expect(fixture.launches).toEqual([{ pipe: 'lake', startedBy: 'api', trigger: 'now' }])
    expect(alone.headers.get('Link')).toMatch(
      /^<http:\/\/localhost:8080\/api\/scheduler\/runs\/[^>]+>; rel="run"$/,
    )
    const mixed = await fixture.put('/triggers', { city: [now], lake: [nightly] })
    expect(Object.keys(mixed.body)).toEqual(['lake'])
  })

  it('is all or nothing: an unknown pipe changes and starts nothing', async () => {
    await fixture.put('/triggers', { city: [daily] })
    const answer = await fixture.put('/triggers', { city: [nightly], sea: [now], moon: [now] })
    expect(answer.status).toBe(404)
    expect(answer.body.type).toBe('urn:cartulary:problem:unknown-pipe')
    expect(answer.body.errors).toHaveLength(2)
    expect((await fixture.get('/triggers')).body).toEqual({ city: [daily] })
    expect(fixture.launches).toEqual([])
  })
})

describe('PUT /triggers/{pipeId}', () => {
  it('answers 201 for the first ones, then 200, with what is stored', async () => {
    const first = await fixture.put('/triggers/city', [daily, nightly])
    expect([first.status, first.body.length]).toEqual([201, 2])
    const second = await fixture.put('/triggers/id-of-city', nightly)
    expect([second.status, second.body]).toEqual([
      200,
      [{ ...nightly, next: '2026-11-22T03:00:00Z' }],
    ])
    expect((await fixture.put('/triggers/city', [])).body).toEqual([])
    expect((await fixture.get('/triggers/city')).status).toBe(404)
  })

  it('links the runs of immediate ones', async () => {
    const answer = await fixture.put('/triggers/city', [now, { ...now, startMode: 'concurrent' }])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual([])
    expect(answer.headers.get('Link')?.match(/rel="run"/g)).toHaveLength(2)
  })

  it('gives repeated ids numbers', async () => {
    const { body } = await fixture.put('/triggers/city', [
      daily,
      daily,
      { ...daily, id: 'daily-2' },
      daily,
    ])
    const ids = body.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(['daily', 'daily-3', 'daily-2', 'daily-4'])
  })

  it('answers 404 for an unknown pipe, and 404 for a pipe without triggers', async () => {
    expect((await fixture.put('/triggers/sea', [daily])).body.type).toMatch(/unknown-pipe$/)
    expect((await fixture.get('/triggers/sea')).body.type).toMatch(/unknown-pipe$/)
    expect((await fixture.get('/triggers/city')).body.type).toMatch(/unknown-trigger$/)
  })
})

describe('what is read can be sent again', () => {
  it('and means the same: the 31st stays the 31st', async () => {
    const monthly = {
      ...daily,
      interval: { unit: 'MONTH', value: 1 },
      next: '2027-01-31T04:00:00Z',
    }
    await fixture.put('/triggers/city', [monthly])
    await sleepUntil('2027-01-31T04:00:00Z')
    const { body } = await fixture.get('/triggers/city')
    expect(body[0]?.next).toBe('2027-02-28T04:00:00Z')
    expect(body[0]?.last).toBe('2027-01-31T04:00:00Z')
    await fixture.put('/triggers/city', body)
    await sleepUntil('2027-02-28T04:00:00Z')
    expect((await fixture.get('/triggers/city')).body[0]?.next).toBe('2027-03-31T04:00:00Z')
  })

  it('but a later first firing is a wish to begin later', async () => {
    await fixture.put('/triggers/city', [daily])
    const { body } = await fixture.put('/triggers/city', [
      { ...daily, next: '2026-12-24T04:00:00Z' },
    ])
    expect(body[0]?.next).toBe('2026-12-24T04:00:00Z')
  })

  it('hides secrets of configs and finds them again', async () => {
    const configs = {
      'importing-rdf': {
        apiKey: 'literal-secret',
        'Proxy-Authorization': 'literal-secret',
        other: { secret: 'by-name' },
        address: 'https://me:pass-word@data.example/?token=abcdef&page=1',
      },
    }
    const { body, text } = await fixture.put('/triggers/city', [{ ...daily, configs }])
    expect(text).not.toMatch(/literal-secret|pass-word|abcdef/)
    expect(body[0]?.configs['importing-rdf']).toEqual({
      apiKey: '•••',
      'Proxy-Authorization': '•••',
      other: { secret: 'by-name' },
      address: 'https://•••@data.example/?token=•••&page=1',
    })
    expect((await fixture.put('/triggers/city', body)).status).toBe(200)
    expect(fixture.triggers.of('city')[0]?.configs).toEqual(configs)
  })

  it('a hidden value that nothing stands behind is refused', async () => {
    const configs = { 'importing-rdf': { apiKey: '•••' } }
    expect((await fixture.put('/triggers/city', [{ ...daily, configs }])).status).toBe(400)
  })
})

describe('a trigger', () => {
  it('without next fires first in five minutes', async () => {
    const { body } = await fixture.put('/triggers/city', { ...daily, next: undefined })
    expect(body[0]?.next).toBe('2026-11-21T12:05:00Z')
  })

  it('takes units in any case, null for absent, instants with and without offset', async () => {
    const interval = { unit: 'day', value: 1 }
    const sent = { ...daily, interval, cron: null, specific: null, configs: null, more: 'ignored' }
    for (const next of [
      '2026-12-01T05:00:00+0100',
      '2026-12-01T04:00:00.000',
      '2026-12-01T04:00:00Z',
    ]) {
      const { body } = await fixture.put('/triggers/city', [{ ...sent, next }])
      expect(body).toEqual([daily])
    }
  })

  it('of a cron expression may name a time zone', async () => {
    const { body } = await fixture.put('/triggers/city', [
      { ...nightly, cron: '0 6 * * *', timeZone: 'Europe/Vienna' },
    ])
    expect(body[0]).toMatchObject({ next: '2026-11-22T05:00:00Z', timeZone: 'Europe/Vienna' })
  })

  const wrong: readonly (readonly [string, object, string])[] = [
    ['two kinds', { ...daily, cron: '0 6 * * *' }, '/0/cron'],
    ['no status', { ...daily, status: undefined }, '/0/status'],
    ['another status', { ...daily, status: 'on' }, '/0/status'],
    ['no id', { ...daily, id: undefined }, '/0/id'],
    ['an id with a slash', { ...daily, id: 'a/b' }, '/0/id'],
    ['an id of dots', { ...daily, id: '..' }, '/0/id'],
    ['an unknown unit', { ...daily, interval: { unit: 'DECADE', value: 1 } }, '/0/interval/unit'],
    ['a value of zero', { ...daily, interval: { unit: 'DAY', value: 0 } }, '/0/interval/value'],
    ['a broken value', { ...daily, interval: { unit: 'DAY', value: 1.5 } }, '/0/interval/value'],
    ['a day that is not', { ...daily, next: '2026-02-30T00:00:00Z' }, '/0/next'],
    ['next alone', { ...daily, interval: undefined }, '/0/next'],
    ['an unreadable cron', { ...nightly, cron: '0 0 3 13 * 6' }, '/0/cron'],
    ['a cron that never fires', { ...nightly, cron: '0 3 31 2 *' }, '/0/cron'],
    ['an unknown time zone', { ...nightly, timeZone: 'Mars/Olympus' }, '/0/timeZone'],
    ['a time zone without cron', { ...daily, timeZone: 'UTC' }, '/0/timeZone'],
    ['no time at all', { id: 'x', status: 'enabled', specific: [] }, '/0/specific'],
    ['disabled and immediate', { id: 'x', status: 'disabled' }, '/0/status'],
    ['an unknown start mode', { ...daily, startMode: 'often' }, '/0/startMode'],
    ['configs that are no objects', { ...daily, configs: { a: 1 } }, '/0/configs/a'],
  ]
  it.each(wrong)('with %s is refused, and nothing changes', async (_, trigger, pointer) => {
    await fixture.put('/triggers/city', [daily])
    const answer = await fixture.put('/triggers/city', [trigger])
    expect([answer.status, answer.body.type]).toEqual([
      400,
      'urn:cartulary:problem:invalid-parameter',
    ])
    expect(answer.body.errors[0]?.pointer).toBe(pointer)
    expect((await fixture.get('/triggers/city')).body).toEqual([daily])
  })

  it('whose configs name another segment is refused', async () => {
    const answer = await fixture.put('/triggers/city', [{ ...daily, configs: { nobody: {} } }])
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]?.detail).toContain('nobody')
  })

  it('is one of at most a hundred', async () => {
    const many = Array.from({ length: 101 }, (_, number) => ({ ...daily, id: `t${number}` }))
    expect((await fixture.put('/triggers/city', many)).status).toBe(400)
    await fixture.put('/triggers/city', many.slice(0, 100))
    const path = '/pipes/city/triggers/one-more'
    expect((await fixture.put(path, { ...daily, id: 'one-more' })).status).toBe(400)
  })

  it.each([
    ['broken', '{"id":'],
    ['too deep', '['.repeat(70) + ']'.repeat(70)],
  ])('in a body that is %s is malformed-json', async (_, body) => {
    const answer = await fixture.put('/triggers/city', body)
    expect(answer.body).toMatchObject({ status: 400, type: 'urn:cartulary:problem:malformed-json' })
  })

  it('in a body that is too large is too-large', async () => {
    const answer = await fixture.put('/triggers/city', `[${' '.repeat(100_000)}]`)
    expect([answer.status, answer.text.includes('pipeBytes')]).toEqual([413, true])
  })
})

describe('one trigger', () => {
  const path = '/pipes/city/triggers/daily'

  it('is set, replaced, read and deleted by its path', async () => {
    const { id: _, ...nameless } = daily
    expect((await fixture.put(path, nameless)).status).toBe(201)
    await fixture.put('/pipes/city/triggers/nightly', nightly)
    const hourly = { ...daily, interval: { unit: 'HOUR', value: 1 } }
    expect((await fixture.put(path, hourly)).status).toBe(200)
    expect((await fixture.get(path)).body).toEqual(hourly)
    expect((await fixture.get('/triggers/city')).body).toHaveLength(2)
    expect((await fixture.ask('DELETE', path)).body).toEqual(hourly)
    expect((await fixture.get(path)).status).toBe(404)
    expect((await fixture.ask('DELETE', path)).body.type).toMatch(/unknown-trigger$/)
  })

  it('that is immediate answers 202 with the run', async () => {
    const answer = await fixture.put('/pipes/city/triggers/now', now)
    expect([answer.status, answer.body.pipe]).toEqual([202, 'city'])
    expect(answer.headers.get('Location')).toMatch(`/api/scheduler/runs/${answer.body.id}`)
    expect((await fixture.put('/pipes/city/triggers/now', now)).status).toBe(409)
  })

  it('with another id in its body is refused', async () => {
    expect((await fixture.put(path, nightly)).status).toBe(400)
  })
})

describe('DELETE /triggers/{pipeId}', () => {
  it('answers what was deleted', async () => {
    await fixture.put('/triggers/city', [daily])
    expect((await fixture.ask('DELETE', '/triggers/city')).body).toEqual([daily])
    expect((await fixture.ask('DELETE', '/triggers/city')).status).toBe(404)
  })

  it('finds triggers whose pipe has gone', async () => {
    await fixture.put('/triggers', { city: [daily], lake: [nightly] })
    await fixture.close(true)
    const { directory } = fixture
    fixture = schedulerFixture({ directory, pipes: [pipeNamed('lake')] })
    expect((await fixture.get('/triggers/city')).body).toEqual([daily])
    expect((await fixture.ask('DELETE', '/triggers/city')).status).toBe(200)
  })
})

describe('the status call', () => {
  const turn = (status: string, more = {}) =>
    fixture.ask('GET', `/triggers/city/daily/${status}`, more)
  beforeEach(() => fixture.put('/triggers/city', [daily]))

  it.each([
    ['disabled', 'enabled'],
    ['disable', 'enable'],
  ])('%s and %s answer the trigger, 409 when it is so already', async (off, on) => {
    expect((await turn(on)).status).toBe(409)
    const answer = await turn(off)
    expect([answer.status, answer.body]).toEqual([200, { ...daily, status: 'disabled' }])
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect((await turn(off)).status).toBe(409)
    expect((await turn(on)).body).toEqual(daily)
  })

  it('answers 400 for another word and 404 for what is unknown', async () => {
    expect((await turn('paused')).status).toBe(400)
    expect((await fixture.ask('GET', '/triggers/city/none/enabled')).status).toBe(404)
    expect((await fixture.ask('GET', '/triggers/sea/daily/enabled')).status).toBe(404)
  })

  it('[T15] is not for pages of other sites, nor done ahead of time, and is told to no other origin', async () => {
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Purpose': 'prefetch' }]) {
      const refused = await turn('disabled', { headers })
      expect([refused.status, refused.headers.get('Access-Control-Allow-Origin')]).toEqual([
        403,
        null,
      ])
    }
    expect((await fixture.get('/triggers/city')).body).toEqual([daily])
    const headers = { Origin: 'https://portal.example' }
    const done = await turn('disabled', { headers })
    expect([done.status, done.headers.get('Access-Control-Allow-Origin')]).toEqual([200, null])
  })

  it('needs a key although it is a GET, and is no HEAD', async () => {
    expect((await turn('disabled', { key: null })).status).toBe(401)
    const head = await fixture.ask('HEAD', '/triggers/city/daily/disabled')
    expect([head.status, head.headers.get('Allow')]).toEqual([405, 'GET, OPTIONS'])
    expect((await fixture.get('/triggers/city')).body).toEqual([daily])
  })
})
