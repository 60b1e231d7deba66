/** Runs through the door: lists, items, live progress, and the steps that a person can make. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { storedProblem } from '../../src/pipe/runs/run.ts'
import { schedulerFixture, type SchedulerFixture } from '../support/scheduler/scheduler-fixture.ts'

let fixture: SchedulerFixture
let confirmed: string[]
let confirm: (runId: string, signal: AbortSignal) => Promise<void>
beforeEach(() => {
  confirmed = []
  confirm = async (id) => void confirmed.push(id)
  fixture = schedulerFixture({ confirm: (id, signal) => confirm(id, signal) })
})
afterEach(() => fixture.close())

async function started(pipe = 'city'): Promise<string> {
  const { body } = await fixture.ask('POST', `/pipes/${pipe}/runs`, {
    body: { startMode: 'concurrent' },
  })
  return body.id
}

const finish = (id: string) => fixture.runs.change(id, { status: 'finished', outcome: 'complete' })

const malformed = new Failure('item-malformed', 'no "title", or "=none"', {
  errors: [{ line: 7, column: 3, detail: 'here' }],
})

function failItem(id: string, originalId: string): void {
  const sink = fixture.runs.sink(id)
  sink.item({
    stage: 'transform',
    state: 'failed',
    originalId,
    problem: storedProblem(malformed),
    excerpt: '<broken>',
  })
}

describe('runs', () => {
  it('are listed newest first, page by page', async () => {
    const ids: string[] = []
    for (let number = 0; number < 5; number++) {
      ids.unshift(await started())
      await fixture.clock.advance(1000)
    }
    const first = await fixture.get('/runs?limit=2')
    expect(first.body.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const links = first.headers.get('Link') ?? ''
    expect(links).toMatch(/\/api\/scheduler\/runs\?limit=2&offset=2>; rel="next"/)
    expect(links).not.toContain('rel="prev"')
    const last = await fixture.get('/runs?offset=4&limit=2')
    expect(last.body.map(({ id }) => id)).toEqual(ids.slice(4))
    expect(last.headers.get('Link')).not.toContain('rel="next"')
    expect(last.headers.get('Link')).toContain('rel="prev"')
  })

  it('are filtered by pipe, status and catalogue', async () => {
    const [city, lake] = [await started('city'), await started('lake')]
    finish(city)
    const listed = async (query: string) =>
      (await fixture.get(`/runs?${query}`)).body.map(({ id }) => id)
    expect(await listed('pipe=lake')).toEqual([lake])
    expect(await listed('status=finished')).toEqual([city])
    expect(await listed('catalogue=none')).toEqual([])
    expect(await listed('catalogue=city')).toHaveLength(2)
  })

  it.each(['limit=0', 'limit=1001', 'offset=-1', 'status=gone', 'limit=x'])(
    '%s is refused',
    async (query) => {
      expect((await fixture.get(`/runs?${query}`)).status).toBe(400)
    },
  )

  it('are read one by one without a key; an unknown one is 404', async () => {
    const id = await started()
    expect((await fixture.get(`/runs/${id}`)).body).toMatchObject({ id, status: 'running' })
    const unknown = await fixture.get('/runs/none')
    expect([unknown.status, unknown.body.type]).toEqual([404, 'urn:cartulary:problem:unknown-run'])
  })
})

describe('items', () => {
  const items = (id: string, query = '', accept = 'application/json', key = 'steward') =>
    fixture.ask('GET', `/runs/${id}/items${query}`, { key, headers: { Accept: accept } })

  it('are a list in order of arrival, for keys of the catalogue too', async () => {
    const id = await started()
    for (const name of ['a', 'b', 'c']) failItem(id, name)
    const { status, body, headers } = await items(id, '?limit=2&offset=1&state=failed')
    expect(status).toBe(200)
    expect(body.map(({ originalId }) => originalId)).toEqual(['b', 'c'])
    expect(body[0]).toMatchObject({ stage: 'transform', state: 'failed', excerpt: '<broken>' })
    expect(headers.get('Link')).not.toContain('rel="next"')
    expect((await items(id, '?state=created')).body).toEqual([])
    expect((await items(id, '?state=lost')).status).toBe(400)
    const one = await items(id, '?record=b')
    expect(one.body.map(({ originalId }) => originalId)).toEqual(['b'])
    expect((await items(id, '?record=x&state=failed')).body).toEqual([])
  })

  it('are all of them as CSV, in which nothing is a formula', async () => {
    const id = await started()
    failItem(id, '=cmd|run')
    for (let number = 0; number < 300; number++) failItem(id, `item ${number}`)
    const { text, headers } = await items(id, '?state=failed', 'text/csv')
    expect(headers.get('Content-Type')).toMatch(/^text\/csv/)
    expect(headers.get('Content-Disposition')).toBe(`attachment; filename="run-${id}.csv"`)
    const [head, first, ...rest] = text.trimEnd().split('\r\n')
    expect(head).toBe(
      'run,pipe,catalogue,state,stage,originalId,platformId,sourceUrl,problem,detail,line,column,time',
    )
    expect(first).toBe(
      `${id},city,city,failed,transform,'=cmd|run,,,item-malformed,"no ""title"", or ""=none""",7,3,2026-11-21T12:00:00.000Z`,
    )
    expect(rest).toHaveLength(300)
  })

  it('are all of them as NDJSON', async () => {
    const id = await started()
    for (let number = 0; number < 150; number++) failItem(id, String(number))
    const lines = (await items(id, '', 'application/x-ndjson')).text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).originalId)).toEqual(
      Array.from({ length: 150 }, (_, number) => String(number)),
    )
  })

  it('of an unknown run are 404, in an unknown media type 406', async () => {
    expect((await items('none', '', 'application/json', 'operator')).status).toBe(404)
    expect((await items(await started(), '', 'image/png')).status).toBe(406)
  })

  it('and findings name record, title, property, value, reason and line, as the contract says', async () => {
    const id = await started()
    const sink = fixture.runs.sink(id)
    const about = { property: 'issued', value: 'yesterday', reason: 'bad-date' }
    const finding = { slug: 'left-out', detail: 'issued: yesterday (bad-date)', ...about } as const
    sink.item({
      stage: 'export',
      state: 'created',
      originalId: 'a',
      platformId: 'platform-a',
      title: 'Trees',
      line: 12,
      findings: [finding],
    })
    failItem(id, 'b')
    const [item, failed] = (await items(id)).body
    expect(item).toMatchObject({ title: 'Trees', line: 12, findings: [finding] })
    // Where the problem is, when nobody knows where the record begins.
    expect(failed).toMatchObject({ originalId: 'b', line: 7 })
    for (const query of ['?finding=left-out', '?record=platform-a'])
      expect((await items(id, query)).body).toMatchObject([{ originalId: 'a' }])
    expect((await items(id, '?finding=unmapped-value')).body).toEqual([])
    const report = await fixture.ask('GET', `/runs/${id}/report`, { key: 'steward' })
    const named = { id: 'a', platformId: 'platform-a', title: 'Trees', stage: 'export', line: 12 }
    expect(report.body.findings['left-out']).toEqual({
      count: 1,
      examples: [{ ...named, detail: finding.detail, ...about }],
    })
    const { components } = (await fixture.get('/openapi.json')).body
    const { RunItem, RunReport, RunFinding } = components.schemas
    const keys = (schema: { properties: object } | undefined) =>
      Object.keys(schema?.properties ?? {})
    expect(keys(RunItem)).toEqual(expect.arrayContaining(Object.keys(item ?? {})))
    expect(keys(RunFinding)).toEqual(expect.arrayContaining(Object.keys(finding)))
    expect(keys(RunReport)).toEqual(expect.arrayContaining(Object.keys(report.body)))
  })

  it('and the report groups them', async () => {
    const id = await started()
    failItem(id, 'a')
    const { status, body } = await fixture.ask('GET', `/runs/${id}/report`, { key: 'steward' })
    expect(status).toBe(200)
    expect(body.problems['item-malformed']?.count).toBe(1)
  })
})

describe('GET /runs/{runId}/events', () => {
  it('tells each state as it comes, then the end', async () => {
    const id = await started()
    const answer = await fixture.app.request(`/runs/${id}/events`, {
      headers: { 'Accept-Encoding': 'gzip' },
    })
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/event-stream/)
    expect(answer.headers.get('Content-Encoding')).toBeNull()
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    const first = (await reader.read()).value ?? ''
    expect(first).toMatch(/^event: run\ndata: \{.*"status":"running".*\}\n\n$/)
    finish(id)
    let rest = ''
    for (let next = await reader.read(); !next.done; next = await reader.read()) rest += next.value
    expect(rest).toMatch(/event: end\ndata: \{.*"status":"finished".*\}\n\n$/)
  })

  it('of an ended run is its end, of an unknown one 404', async () => {
    const id = await started()
    finish(id)
    const { text } = await fixture.get(`/runs/${id}/events`)
    expect(text.match(/^event: \w+/gm)).toEqual(['event: run', 'event: end'])
    expect((await fixture.get('/runs/none/events')).status).toBe(404)
  })

  it('is given to so many of one client at once', async () => {
    const id = await started()
    const open = async () => fixture.app.request(`/runs/${id}/events`)
    const answers = await Promise.all(Array.from({ length: 16 }, open))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    const refused = await open()
    expect([refused.status, refused.headers.has('Retry-After')]).toEqual([429, true])
    finish(id)
    for (const answer of answers) await answer.text()
    expect((await open()).status).toBe(200)
  })
})

describe('a step of a run', () => {
  const step = (id: string, name: string) => fixture.ask('POST', `/runs/${id}/${name}`)

  it('cancel answers 202, and 409 when the run has ended', async () => {
    const id = await started()
    const answer = await fixture.ask('DELETE', `/runs/${id}`)
    expect([answer.status, answer.body.status]).toEqual([202, 'cancelled'])
    expect((await fixture.ask('DELETE', `/runs/${id}`)).status).toBe(409)
    expect((await fixture.ask('DELETE', '/runs/none')).status).toBe(404)
  })

  it('resume lets an interrupted run go on, another not', async () => {
    const id = await started()
    expect((await step(id, 'resume')).status).toBe(409)
    fixture.runs.change(id, { status: 'interrupted' })
    const answer = await step(id, 'resume')
    expect([answer.status, answer.body.status]).toEqual([202, 'waiting'])
  })

  it('retry makes a new run of what failed', async () => {
    const id = await started()
    finish(id)
    const { status, body, headers } = await step(id, 'retry')
    expect(status).toBe(202)
    expect(body.id).not.toBe(id)
    expect(headers.get('Location')).toContain(body.id)
  })

  describe('confirm', () => {
    async function holding(): Promise<string> {
      const id = await started()
      fixture.runs.sink(id).item({ stage: 'export', state: 'held', originalId: 'gone' })
      finish(id)
      return id
    }

    it('carries out what the latest complete run holds back', async () => {
      const id = await holding()
      expect((await step(id, 'confirm')).status).toBe(202)
      expect(confirmed).toEqual([id])
    })

    it('is 409 when nothing is held, and when a later run was complete', async () => {
      const empty = await started()
      finish(empty)
      expect((await step(empty, 'confirm')).status).toBe(409)
      const id = await holding()
      await fixture.clock.advance(1000)
      finish(await started())
      expect((await step(id, 'confirm')).status).toBe(409)
      expect(confirmed).toEqual([])
    })

    it('tells what is refused at once, and does not wait for what takes long', async () => {
      const id = await holding()
      confirm = async () => {
        throw new Failure('conflict', 'carried out already')
      }
      expect((await step(id, 'confirm')).status).toBe(409)
      confirm = (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve())
        })
      expect((await step(id, 'confirm')).status).toBe(202)
    })
  })
})
