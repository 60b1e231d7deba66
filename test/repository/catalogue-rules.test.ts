/** Rules of catalogues: who sets them, what they refuse, what new drafts begin with, and lists and ends of drafts. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { dayMs } from '../../src/text/duration.ts'
import { smallProfile } from '../profile/small.ts'
import { base, prefixes, repository } from '../support/repository.ts'

type Repository = Awaited<ReturnType<typeof repository>>

let repo: Repository
beforeAll(async () => {
  repo = await repository({
    keys: { pub: ['publisher:water'], stew: ['steward:water'], read: ['reader:water'] },
  })
  await repo.putCatalogue('water')
  await repo.putCatalogue('parks')
})
afterAll(() => repo.close())

type Answer = { status: number; tag: string; json: Record<string, unknown>; text: string }

type Asked = { body?: string | object; headers?: Readonly<Record<string, string>> }

const asks =
  (of: Repository) =>
  async (key: string, method: string, path: string, asked: Asked = {}): Promise<Answer> => {
    const { body, headers = {} } = asked
    const answer = await of.app.request(path, {
      method,
      headers: {
        'X-API-Key': key,
        'Content-Type': typeof body === 'string' ? 'text/turtle' : 'application/json',
        Accept: 'application/json',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { status: answer.status, tag: answer.headers.get('ETag') ?? '', json, text }
  }

const ask = (...request: Parameters<ReturnType<typeof asks>>) => asks(repo)(...request)
const rulesPath = '/catalogues/water/rules'
const setRules = async (rules: object) =>
  expect((await ask('stew', 'PUT', rulesPath, { body: rules })).status).toBe(204)
const dct = (name: string) => `http://purl.org/dc/terms/${name}`
const dataset = (title: string, more = '') =>
  `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en ${more} .`
const draftOf = async (title: string, more = '') => {
  const body = dataset(title, more)
  const made = await ask('pub', 'POST', '/drafts/datasets?catalogue=water', { body })
  expect([made.status, made.text]).toEqual([201, made.text])
  return String(made.json['id'])
}
const linesOf = async (id: string) =>
  (
    await ask('pub', 'GET', `/drafts/datasets/${id}`, {
      headers: { Accept: 'application/n-triples' },
    })
  ).text

beforeEach(() => setRules({}))

describe('the rules of a catalogue', () => {
  it('are read by its readers, set by its stewards, and those of an unknown catalogue are not there', async () => {
    expect((await ask('read', 'GET', rulesPath)).json).toMatchObject({
      review: 'new',
      programs: false,
      points: 0,
    })
    expect((await ask('read', 'PUT', rulesPath, { body: {} })).status).toBe(403)
    expect((await ask('pub', 'PUT', rulesPath, { body: {} })).status).toBe(403)
    for (const method of ['GET', 'PUT']) {
      const more = method === 'PUT' ? { body: {} } : {}
      const path = '/catalogues/none/rules'
      expect((await ask('a-key-for-everything', method, path, more)).status).toBe(404)
    }
  })

  it('come back with a deleted catalogue that is restored, and are not those of a new one with its id', async () => {
    const path = '/catalogues/lakes/rules'
    const admin = (method: string, at: string, body?: object) =>
      ask('a-key-for-everything', method, at, body ? { body } : {})
    const review = async () => (await admin('GET', path)).json['review']
    await repo.putCatalogue('lakes')
    expect((await admin('PUT', path, { review: 'every' })).status).toBe(204)
    expect((await admin('DELETE', '/catalogues/lakes')).status).toBe(204)
    expect((await admin('GET', path)).status).toBe(404)
    expect((await admin('POST', '/catalogues/lakes/restore')).status).toBe(201)
    expect(await review()).toBe('every')
    expect((await admin('DELETE', '/catalogues/lakes')).status).toBe(204)
    await repo.putCatalogue('lakes')
    expect(await review()).toBe('new')
  })

  it('are replaced by one of two who read the same, when both say what they read', async () => {
    const { tag, json } = await ask('stew', 'GET', rulesPath)
    expect(tag).toBe(`"${String(json['revision'])}"`)
    const put = (points: number) =>
      ask('stew', 'PUT', rulesPath, { body: { points }, headers: { 'If-Match': tag } })
    const [first, second] = [await put(10), await put(20)]
    expect([first.status, second.status]).toEqual([204, 412])
    expect(second.tag).toBe(first.tag)
    expect((await ask('stew', 'GET', rulesPath)).json).toMatchObject({ points: 10 })
  })

  it.each<readonly [string, object]>([
    ['review', { review: 'sometimes' }],
    ['languages', { languages: ['not a tag'] }],
    ['required', { required: ['license'] }],
    ['required', { required: ['http://x/> <y> "z" . <http://x/'] }],
    ['points', { points: 406 }],
    ['points', { points: 1.5 }],
    ['quota', { quota: 1000 }],
    ...[
      'text',
      '<relative>',
      '<javascript:alert(1)>',
      '_:b0',
      '"a" . <x:a> <x:b> "c"',
      '"open',
      '',
    ].map((value) => ['defaults', { defaults: [{ path: dct('license'), value }] }] as const),
    ['defaults', { defaults: [{ path: 'http://x/> <y>', value: '"a"' }] }],
  ])('with a wrong %s are refused, with its name: %j', async (name, rules) => {
    const { status, text } = await ask('stew', 'PUT', rulesPath, { body: rules })
    expect(status).toBe(400)
    expect(text).toContain(name)
    expect((await ask('stew', 'GET', rulesPath)).json).toMatchObject({ required: [], defaults: [] })
  })
})

describe('the first values of a catalogue', () => {
  const licence = '<http://publications.europa.eu/resource/authority/licence/CC0>'
  const defaults = [
    { path: dct('license'), value: licence },
    { path: dct('language'), value: '"quoted \\"word\\""@en' },
  ]

  it('are in each new draft, of a person and of a program, by POST and by PUT', async () => {
    await setRules({ defaults })
    const id = await draftOf('With values')
    const path = '/drafts/datasets/put-with-values'
    const body = dataset('Put with values')
    expect((await ask('pub', 'PUT', `${path}?catalogue=water`, { body })).status).toBe(201)
    for (const one of [id, 'put-with-values']) {
      expect(await linesOf(one)).toContain(`<${dct('license')}> ${licence}`)
      expect(await linesOf(one)).toContain(`<${dct('language')}> "quoted \\"word\\""@en`)
    }
  })

  it('leave alone what a draft says itself, on the record or on all of its distributions', async () => {
    await setRules({ defaults })
    const other = '<http://example.org/licence>'
    const own = await draftOf('Own value', `; dct:license ${other}`)
    const nested = await draftOf(
      'Nested',
      `; dcat:distribution [ a dcat:Distribution ; dct:license ${other} ]`,
    )
    const half = await draftOf(
      'Half',
      `; dcat:distribution [ a dcat:Distribution ; dct:license ${other} ] , [ a dcat:Distribution ]`,
    )
    expect(await linesOf(own)).not.toContain(licence)
    expect(await linesOf(nested)).not.toContain(licence)
    expect(await linesOf(half)).toContain(licence)
  })

  it('are not in the draft of what is published already', async () => {
    await repo.putDataset('water', 'published', dataset('Published'))
    await setRules({ defaults })
    expect((await ask('pub', 'POST', '/drafts/datasets?of=published')).status).toBe(201)
    expect(await linesOf('published')).not.toContain(licence)
  })

  it('may come from the profile, and those of the catalogue come first', async () => {
    const field = '"Metrics" ] ;\n  sh:property [ sh:path dct:title ; '
    const directory = await smallProfile(field, `${field} sh:defaultValue "Of the profile"@en ; `)
    const own = await repository({ profile: await loadProfile(directory) })
    try {
      await own.putCatalogue('water')
      const key = 'a-key-for-everything'
      const make = async (body: string) => {
        const made = await asks(own)(key, 'POST', '/drafts/datasets?catalogue=water', { body })
        return made.json['title']
      }
      expect(await make(`${prefixes}<> a dcat:Dataset .`)).toEqual({ en: 'Of the profile' })
      expect(await make(dataset('Own'))).toEqual({ en: 'Own' })
      const rules = { defaults: [{ path: dct('title'), value: '"Of the catalogue"@de' }] }
      await asks(own)(key, 'PUT', rulesPath, { body: rules })
      expect(await make(`${prefixes}<> a dcat:Dataset .`)).toEqual({ de: 'Of the catalogue' })
    } finally {
      await own.close()
    }
  })
})

describe('programs', () => {
  const strict = { languages: ['en', 'de'], required: [dct('license')], programs: true }
  const whole =
    '; dct:title "Titel"@de ; dct:description "Text"@de , "Text"@en ; dct:license <http://x.example/l>'

  it('are held to the rules where the catalogue says so, and nowhere else', async () => {
    await setRules({ ...strict, programs: false })
    expect((await repo.putDataset('water', 'free', dataset('Free'))).status).toBe(201)
    await setRules(strict)
    const refused = await repo.putDataset('water', 'held', dataset('Held'))
    expect(refused.status).toBe(422)
    expect(JSON.stringify(await refused.json())).toContain(dct('license'))
    expect((await repo.ask('/datasets/held')).status).toBe(404)
    expect((await repo.putDataset('water', 'held', dataset('Held', whole))).status).toBe(201)
    expect((await repo.putDataset('parks', 'held', dataset('Held'))).status).toBe(201)
  })

  it('may write unchanged what was there before the rules, and patch only what keeps them', async () => {
    await repo.putDataset('water', 'before', dataset('Before'))
    await repo.putDataset('water', 'good', dataset('Good', whole))
    await setRules(strict)
    expect((await repo.putDataset('water', 'before', dataset('Before'))).status).toBe(304)
    const node = `<${base}set/data/good>`
    const patch = (body: string) =>
      repo.ask('/datasets/good', {
        method: 'PATCH',
        type: 'application/rdf-patch',
        body,
        headers: { 'If-Match': '*' },
      })
    const removal = await patch(`D ${node} <${dct('license')}> <http://x.example/l> .\n`)
    expect(removal.status).toBe(422)
    const addition = await patch(`A ${node} <${dct('language')}> <http://x.example/en> .\n`)
    expect(addition.status).toBe(204)
  })

  it('may not add a distribution after which the dataset lacks what the rules ask for', async () => {
    const licence = 'dct:license <http://x.example/l>'
    const texts = whole.replace(`; ${licence}`, '')
    const file = (more: string) =>
      `${prefixes}<> a dcat:Distribution ; dcat:accessURL <http://x.example/file${more.length}> ${more} .`
    const url = `; dcat:distribution [ a dcat:Distribution ; dcat:accessURL <http://x.example/a> ; ${licence} ]`
    await setRules(strict)
    expect((await repo.putDataset('water', 'files', dataset('Files', texts + url))).status).toBe(
      201,
    )
    const add = (body: string) =>
      repo.ask('/datasets/files/distributions', { method: 'POST', type: 'text/turtle', body })
    expect((await add(file(''))).status).toBe(422)
    expect((await add(file(`; ${licence}`))).status).toBe(201)
  })
})

describe('a list of drafts', () => {
  const titlesIn = ({ json }: Answer) =>
    (json['drafts'] as { title: Record<string, string> }[]).map(
      ({ title }) => Object.values(title)[0],
    )
  const list = (query: string) => ask('pub', 'GET', `/drafts/datasets?catalogue=water&${query}`)

  it('is searched by a part of a title, whatever its capitals and accents, and not by its language', async () => {
    await draftOf('Übersicht der Flüsse')
    await draftOf('Rivers \\"in\\" words')
    expect(titlesIn(await list('q=ubersicht'))).toEqual(['Übersicht der Flüsse'])
    expect(titlesIn(await list('q=DER%20FL%C3%9CSSE'))).toEqual(['Übersicht der Flüsse'])
    expect(titlesIn(await list('q=%22in%22'))).toEqual(['Rivers "in" words'])
    expect(titlesIn(await list('q=%22en%22'))).toEqual([])
    expect((await list('q=flusse')).json['counts']).toEqual({ draft: 1 })
  })

  it('is sorted by title as people sort, by points or by the last change, in pages', async () => {
    for (const title of ['zebra sort', 'Äpfel sort', 'apfel sort a', 'Birne sort'])
      await draftOf(title)
    const sorted = ['apfel sort a', 'Äpfel sort', 'Birne sort', 'zebra sort']
    const titles = titlesIn(await list('q=sort&sort=title'))
    expect(new Set(titles)).toEqual(new Set(sorted))
    expect(titles.slice(2)).toEqual(['Birne sort', 'zebra sort'])
    expect(titlesIn(await list('q=sort&sort=title&offset=2&limit=1'))).toEqual(['Birne sort'])
    expect(titlesIn(await list('q=sort&sort=changed'))[0]).toBe('Birne sort')
    expect((await list('sort=points')).status).toBe(200)
    expect((await list('sort=nothing')).status).toBe(400)
  })
})

describe('a draft', () => {
  it('that is thrown away can be taken back for 30 days, then it is gone', async () => {
    const [kept, gone] = [await draftOf('Taken back'), await draftOf('Gone')]
    for (const id of [kept, gone])
      expect((await ask('pub', 'DELETE', `/drafts/datasets/${id}`)).status).toBe(200)
    const start = repo.clock.now.getTime()
    const away = await ask('pub', 'GET', '/drafts/datasets?state=away&q=gone')
    expect(away.json['drafts']).toMatchObject([
      { id: gone, ends: new Date(start + 30 * dayMs).toISOString(), may: ['restore'] },
    ])
    expect((await ask('pub', 'POST', `/drafts/datasets/${kept}/restore`)).status).toBe(200)
    repo.clock.now = new Date(start + 31 * dayMs)
    await draftOf('Sweeps the file')
    expect((await ask('pub', 'GET', `/drafts/datasets/${kept}`)).status).toBe(200)
    expect((await ask('pub', 'POST', `/drafts/datasets/${gone}/restore`)).status).toBe(404)
  })

  it('that its author has not changed for 360 days is thrown away, one in review is not', async () => {
    const [idle, back, held] = [await draftOf('Idle'), await draftOf('Back'), await draftOf('Held')]
    for (const id of [back, held])
      expect((await ask('pub', 'POST', `/drafts/datasets/${id}/submit`)).status).toBe(200)
    const note = { body: { note: 'Which licence?' } }
    expect((await ask('stew', 'POST', `/drafts/datasets/${back}/return`, note)).status).toBe(200)
    repo.clock.now = new Date(repo.clock.now.getTime() + 361 * dayMs)
    await draftOf('Sweeps again')
    const stateOf = async (id: string) =>
      (await ask('pub', 'GET', `/drafts/datasets/${id}`)).json['state']
    expect([await stateOf(idle), await stateOf(back), await stateOf(held)]).toEqual([
      'away',
      'away',
      'review',
    ])
  })
})
