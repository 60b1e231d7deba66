/** What each command says and does, over real run records. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { progressBar, triggerRow } from '../../src/console/text-output.ts'
import { storedProblem } from '../../src/pipe/runs/run.ts'
import { Failure } from '../../src/errors.ts'
import { consoleFixture, type ConsoleFixture } from '../support/console/console-fixture.ts'

let fixture: ConsoleFixture
let clock = 0
beforeEach(async () => {
  clock = 0
  fixture = await consoleFixture({ now: () => (clock += 6000) })
})
afterEach(() => fixture.stop())

const finishedRun = (pipe: string, held = 0) => {
  const { launcher, runs } = fixture
  const launched = launcher.launch({ pipe, startedBy: 'api' })
  if ('dropped' in launched) throw new Error('dropped')
  const { id } = launched.run
  const sink = runs.sink(id)
  sink.item({
    originalId: 'parks',
    stage: 'export',
    state: 'failed',
    problem: storedProblem(new Failure('export-refused', 'no title')),
  })
  for (let at = 0; at < held; at++)
    sink.item({ originalId: `old-${at}`, stage: 'export', state: 'held' })
  runs.change(id, { status: 'finished', outcome: 'complete' })
  return id
}

/** Ends the newest run of a pipe as soon as there is one. */
const ending = async (pipe: string, status: 'finished' | 'failed', records = 1) => {
  const newest = () =>
    fixture.runs.list({ pipe, status: 'running', offset: 0, limit: 1 }).find((run) => run)
  await expect.poll(newest).toBeDefined()
  const { id } = newest() ?? { id: '' }
  for (let at = 0; at < records; at++)
    fixture.runs.sink(id).item({ originalId: `r${at}`, stage: 'export', state: 'created' })
  fixture.runs.change(id, status === 'finished' ? { status, outcome: 'complete' } : { status })
}

describe('pipes', () => {
  it('are shown with their secrets masked', async () => {
    const text = await fixture.said('pipe city show')
    expect(text).toContain('"name": "city"')
    expect(text).toContain('"body": "•••"')
    expect(await fixture.said('pipe nowhere')).toMatch(/^Command failed: there is no pipe nowhere/)
    expect(await fixture.said('pipe city burn')).toMatch(/it is show or launch, not burn/)
  })

  it('are launched with configurations that name their segments, by the console', async () => {
    const [text] = await Promise.all([
      fixture.said('launch city {"importing-rdf":{"limit":5}} -v'),
      ending('city', 'finished'),
    ])
    expect(text).toMatch(
      /^run \S+\nsegment 1 importing-rdf\n[^]*finished \(complete\)[^]*Command finished\n$/,
    )
    expect(fixture.launcher.launches[0]).toEqual({
      pipe: 'city',
      startedBy: 'console',
      configs: { 'importing-rdf': { limit: 5 } },
    })
  })

  it('through which a catalogue is sent are watched to the end only when that is wanted', async () => {
    expect(await fixture.said('launch town lake')).toMatch(
      /^3 datasets found\nrun \S+\nCommand finished\n$/,
    )
    const [text] = await Promise.all([
      fixture.said('launch town city -v'),
      ending('city', 'finished'),
    ])
    expect(text).toMatch(/^3 datasets found\nrun \S+\n[^]*finished \(complete\)[^]*finished\n$/)
  })

  it('are not launched with configurations that mean nothing', async () => {
    for (const configs of ['{"importing-rdf":5}', '{oops}', '{"nothing":{}}'])
      expect(await fixture.said(`launch city ${configs}`)).toMatch(/^Command failed: /)
    expect(fixture.launcher.launches).toEqual([])
  })

  it('that fail make their command fail', async () => {
    const [text] = await Promise.all([fixture.said('pipe lake launch'), ending('lake', 'failed')])
    expect(text).toMatch(/\nCommand failed: the run is failed\n$/)
  })

  it('that bring no record make their command fail', async () => {
    const [text] = await Promise.all([fixture.said('launch city'), ending('city', 'finished', 0)])
    expect(text).toMatch(/\nCommand failed: the run brought no record\n$/)
  })

  it('that are active already are not started twice', async () => {
    fixture.launcher.launch({ pipe: 'city', startedBy: 'api' })
    expect(await fixture.said('launch city')).toMatch(/the pipe is active already: run /)
  })

  it('are imported without writing, and the report is told', async () => {
    const [text] = await Promise.all([fixture.said('dryrun city -n 5'), ending('city', 'finished')])
    expect(text).toMatch(/Command finished\n$/)
    expect(fixture.launcher.launches).toEqual([
      { pipe: 'city', startedBy: 'console', dryRun: true, limit: 5 },
    ])
  })

  it('are read again', async () => {
    expect(await fixture.said('reload')).toMatch(
      /^2 pipes, 1 file not valid\n! pipes bad.yaml: no segments\n/,
    )
  })
})

describe('triggers', () => {
  it('are listed and switched', async () => {
    expect(await fixture.said('disable city daily')).toMatch(/^trigger daily of city is disabled\n/)
    expect(await fixture.said('triggers')).toMatch(
      /^city {2}daily {2}disabled {2}cron 0 3 \* \* \*/,
    )
    expect(await fixture.said('enable city nightly')).toMatch(/^Command failed: no such trigger/)
    expect(await fixture.said('triggers lake')).toMatch(/^no triggers/)
  })

  it('of a pipe that is gone say so in place of their next firing', () => {
    const timing = { kind: 'cron', expression: '0 3 * * *' } as const
    const problem = 'pipe missing'
    expect(triggerRow('city', { id: 'daily', status: 'enabled', timing, problem })).toEqual([
      'city',
      'daily',
      'enabled',
      'cron 0 3 * * *',
      'pipe missing',
      'last –',
    ])
  })
})

describe('runs', () => {
  it('are listed and told with what failed', async () => {
    const id = finishedRun('city')
    expect(await fixture.said('runs city -n 1')).toMatch(
      new RegExp(`^${id}  city  api  \\S+Z  finished \\(complete\\)  failed 1\n`),
    )
    const text = await fixture.said(`run ${id}`)
    expect(text).toMatch(
      /\ncatalogue {2}city\n[^]*\n {2}parks {2}export {2}failed {2}export-refused: no title\n/,
    )
  })

  it('are cancelled, and tried again where they failed', async () => {
    const launched = fixture.launcher.launch({ pipe: 'lake', startedBy: 'api' })
    const id = 'run' in launched ? launched.run.id : ''
    expect(await fixture.said(`cancel ${id}`)).toMatch(/ is cancelled\n/)
    const [text] = await Promise.all([fixture.said(`retry ${id}`), ending('lake', 'finished')])
    expect(text).toMatch(/Command finished\n$/)
    expect(await fixture.said(`resume ${id}`)).toMatch(/^Command failed: the run is cancelled/)
  })

  it('may have brought what another catalogue has', async () => {
    expect(await fixture.said('duplicates -n 2')).toBe(
      'the same identifier: water in city, water~~1 in town\n' +
        'the same identifier: weather in city, weather~~1 in town\nand more\nCommand finished\n',
    )
    expect(await fixture.said('duplicates lake')).toMatch(/^nothing looks the same\n/)
  })

  it('have their removals confirmed only when they hold some and are the newest', async () => {
    const older = finishedRun('city', 2)
    const newer = finishedRun('city', 3)
    const none = finishedRun('lake')
    expect(await fixture.said(`confirm ${newer}`)).toMatch(/^3 removals confirmed\n/)
    expect(await fixture.said(`confirm ${older}`)).toMatch(/not the latest complete run/)
    expect(await fixture.said(`confirm ${none}`)).toMatch(/holds no removals back/)
    expect(fixture.seen.confirmed).toEqual([newer])
  })

  it('tell what was done about them after their end', async () => {
    const id = finishedRun('city', 2)
    fixture.runs.note(id, { action: 'confirm', done: 2, failed: 0 })
    fixture.runs.note(id, { action: 'restore', done: 1, failed: 1 })
    const text = await fixture.said(`run ${id}`)
    expect(text).toMatch(/\nnote {7}\S+Z 2 removals confirmed\n/)
    expect(text).toMatch(/\nnote {7}\S+Z 1 records restored, 1 failed\n/)
  })

  it('hand the records of a renamed pipe over', async () => {
    expect(await fixture.said('adopt city --from town')).toMatch(
      /^4 records of town belong to city now/,
    )
    expect(await fixture.said('adopt city')).toMatch(/say --from <pipe>/)
  })
})

describe('records', () => {
  it.each<[string, RegExp]>([
    ['clear city -k', /^3 datasets of city deleted/],
    ['repair city', /^nothing to repair\n/],
    ['repair addresses --dry-run', /^accessURL would be restored\n/],
    ['repair addresses', /^accessURL is restored\n/],
    ['repair store --dry-run', /^title would be removed\n/],
    ['repair store', /^title is removed\n/],
    ['restore parks', /^1 dataset restored\n/],
    ['reindex dataset', /^7 records indexed\n/],
    ['reconcile', /^1,234 records compared: 1 missing, 2 stale, 3 too many\ndrift 6, repaired 6\n/],
    ['reconcile --dry-run', /drift 6, repaired 0\n/],
    ['installVocabularies language country', /^language {2}installed\ncountry {2}installed\n/],
    ['sitemap', /^9 addresses\n/],
    ['boost', /^title {2}5\n/],
    ['facets', /^dataset {2}format\n/],
    ['refresh city', /^refreshed\n/],
    ['exit', /^Command finished\n/],
  ])('%s', async (line, said) => {
    const text = await fixture.said(line)
    expect(text).toMatch(said)
    expect(text).toMatch(/Command finished\n$/)
  })

  it('that do not come back are named, and the command fails', async () => {
    expect(await fixture.said('restore gone')).toBe(
      'gone: its id is in use again\n1 dataset restored\nCommand failed: 1 dataset could not be restored\n',
    )
  })

  it('are repaired at once: only addresses and the store have a dry run', async () => {
    expect(await fixture.said('repair city --dry-run')).toMatch(
      /^Command failed: only "repair addresses" and "repair store" have a dry run/,
    )
  })

  it('index tells its progress, and sync is the same', async () => {
    fixture.finishWork()
    const text = await fixture.said('sync city')
    expect(text).toBe(`${progressBar(0, 10)}\n1 record projected\nCommand finished\n`)
  })
})

describe('a progress bar', () => {
  it.each<[number, number | undefined, string]>([
    [0, 10, `[${'.'.repeat(30)}]   0 %  0 of 10`],
    [5, 10, `[${'#'.repeat(15)}${'.'.repeat(15)}]  50 %  5 of 10`],
    [12, 10, `[${'#'.repeat(30)}] 100 %  12 of 10`],
    [1234, undefined, `[${'-'.repeat(30)}] 1,234`],
    [3, 0, `[${'-'.repeat(30)}] 3`],
  ])('of %d out of %s', (done, total, text) => {
    expect(progressBar(done, total)).toBe(text)
  })
})
