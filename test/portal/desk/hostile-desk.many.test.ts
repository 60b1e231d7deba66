/**
 * The hostile strings through the desk: each is the title and the values of a record, the name of the account that writes it, the
 * note that it is sent and sent back with, and what is typed into every form that refuses it.
 */

import { decodeHTML as decode } from 'entities'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { harmIn, hostileStrings } from '../hostile-strings.ts'
import { signedIn } from '../signed-in.ts'

type Person = Awaited<ReturnType<typeof signedIn>>

const all = 'key-for-everything-0001'
let directory: string
let platform: Gateway
let administrator: Person
/** Ids of the draft in review, the draft thrown away and the published record of each string. */
const made: { readonly text: string; readonly sent: string; readonly thrown: string }[] = []
/** Pages with markup that no page has, with where that was. */
const harm: string[] = []
const look = (where: string, page: string): string => {
  harm.push(...harmIn(page).map((one) => `${where}: ${one}`))
  return page
}

const call = async (key: string, method: string, path: string, body: string | object) => {
  const isText = typeof body === 'string'
  const answer = await fetch(`${platform.url}/api/hub/repo${path}`, {
    method,
    headers: {
      'X-API-Key': key,
      Accept: 'application/json',
      'Content-Type': isText ? 'text/turtle' : 'application/json',
    },
    body: isText ? prefixes + body : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return text
}
/** Name of an account: marks of direction are refused there. */
const nameOf = (text: string) => text.replaceAll(/\p{Bidi_Control}/gu, '')
const fieldIn = (json: string, name: 'id' | 'key'): string => {
  const value: unknown = Object(JSON.parse(json))[name]
  return typeof value === 'string' ? value : ''
}
const own = (id: string, step: string) => `/en/desk/datasets/${id}/${step}?catalogue=water`
const revisionIn = (html: string) => /name="revision" value="(\d+)"/.exec(html)?.[1] ?? ''

/** Sends the form of a check and looks at the page that follows. */
async function step(person: Person, id: string, fields: Readonly<Record<string, string>>) {
  const path = own(id, 'check')
  const revision = revisionIn(look(path, await person.page(path)))
  const answer = await person.post(path, { revision, ...fields })
  look(`${path} ${fields['do']}`, await answer.text())
  return answer.status
}

async function makeAll(text: string, at: number) {
  const account = { kind: 'program', name: nameOf(text), permissions: ['publisher:water'] }
  const key = fieldIn(await call(all, 'POST', '/accounts', account), 'key')
  const author = await signedIn(platform, key)
  const literal = JSON.stringify(text)
  const about = `dct:title ${literal}@en ; dct:description ${literal}@en ; dcat:keyword ${literal}`
  const draft = async () =>
    fieldIn(
      await call(key, 'POST', '/drafts/datasets?catalogue=water', `<> a dcat:Dataset ; ${about} .`),
      'id',
    )
  const [sent, thrown] = [await draft(), await draft()]
  expect([text, await step(author, sent, { do: 'submit', note: text })]).toEqual([text, 303])
  expect([text, await step(author, thrown, { do: 'delete' })]).toEqual([text, 303])
  const record = `/catalogues/water/datasets/origin?originalId=h-${at}`
  await call(all, 'PUT', record, '<> a dcat:Dataset ; dct:title "Before"@en .')
  await call(all, 'PUT', record, `<> a dcat:Dataset ; ${about} .`)
  made.push({ text, sent, thrown })
}

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify({ [all]: ['*'] }) })
  await call(all, 'PUT', '/catalogues/water', '<> a dcat:Catalog ; dct:title "Water"@en .')
  await call(all, 'PUT', '/catalogues/water/rules', { review: 'every' })
  administrator = await signedIn(platform, all)
  for (const [at, text] of hostileStrings.entries()) await makeAll(text, at)
}, 240_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** Page of the administrator, looked at, with its references resolved. */
const shown = async (path: string) => decode(look(path, await administrator.page(path)))
/** Strings that are not there as text on any of the pages. */
const missingOn = (page: string, strings = hostileStrings) =>
  strings.filter((text) => !page.includes(text))

describe('hostile strings', () => {
  it('are texts in the lists of drafts, of what waits and of what was thrown away', async () => {
    expect(missingOn(await shown('/en/desk/datasets?state=review'))).toEqual([])
    expect(missingOn(await shown('/en/desk/datasets?state=away'))).toEqual([])
    await shown('/en/desk')
    const waiting = await shown('/en/desk/waiting')
    const entries = waiting.split('<li>').filter((entry) => /\/check\?catalogue/.test(entry))
    expect(entries).toHaveLength(hostileStrings.length)
    // The title, the name of the author and the note.
    const isWhole = (text: string) =>
      entries.some((entry) => entry.includes(nameOf(text)) && entry.split(text).length > 2)
    expect(hostileStrings.filter((text) => !isWhole(text))).toEqual([])
    expect(harm).toEqual([])
  })

  it('are texts among people and keys, in the form of an account and where it is refused', async () => {
    const people = await shown('/en/desk/people')
    expect(missingOn(people, hostileStrings.map(nameOf))).toEqual([])
    const ids = [...people.matchAll(/\?edit=([^#"]+)#new/g)].map(([, id = '']) => id)
    expect(ids).toHaveLength(hostileStrings.length)
    for (const id of ids) await shown(`/en/desk/people?edit=${id}`)
    const forms = (text: string): readonly Readonly<Record<string, string>>[] => [
      { do: 'person', name: text, mail: text, role: text, 'in-water': text, ends: text },
      { do: 'person', name: text, role: 'publisher', 'in-water': 'yes' },
      { do: 'revoke', id: text, name: text },
      { do: text, id: text, name: text },
    ]
    for (const fields of hostileStrings.flatMap(forms))
      look('people', await (await administrator.post('/en/desk/people', fields)).text())
    expect(harm).toEqual([])
  }, 120_000)

  it('are texts on the pages of a draft: check, text, preview, and the search of the picker', async () => {
    for (const { text, sent, thrown } of made) {
      const check = await shown(own(sent, 'check'))
      expect([text, check.split(text).length > 3]).toEqual([text, true])
      await shown(own(sent, 'preview'))
      await shown(own(thrown, 'check'))
      expect(await step(administrator, sent, { do: 'return', note: text })).toBe(303)
      await shown(own(sent, 'check'))
      const sought = `&q=${encodeURIComponent(text)}&in=${encodeURIComponent(text)}`
      const picker = await shown(own(sent, 'pick/categories') + sought)
      expect([text, picker.includes(text)]).toEqual([text, true])
      await shown(own(sent, 'turtle'))
    }
    expect(await shown('/en/desk/waiting')).toContain('todo')
    expect(harm).toEqual([])
  }, 120_000)

  it('are texts in the history, as what was, what is and what is compared', async () => {
    for (const [at, text] of hostileStrings.entries()) {
      const path = `/en/desk/datasets/h-${at}/history`
      const history = await shown(path)
      const inserted = history.replaceAll(/<\/?ins>/g, '')
      expect([text, inserted.includes(text)]).toEqual([text, true])
      await shown(`${path}?version=1&with=2&did=${encodeURIComponent(text)}`)
      await shown(`${path}?version=${encodeURIComponent(text)}&with=${encodeURIComponent(text)}`)
    }
    expect(harm).toEqual([])
  }, 60_000)

  it('are texts where a form is refused', async () => {
    for (const { text, sent } of made) {
      const typed = { title: text, catalogue: text, of: text, note: text, reason: text, at: text }
      const more = { replacement: text, rdf: text, revision: text, id: text, pick: text }
      for (const [path, action] of [
        ['/en/desk/new', ''],
        ['/en/desk/catalogues', ''],
        ['/en/desk/datasets', 'publish'],
        ['/en/desk/catalogues/water/rules', 'save'],
        [own(sent, 'check'), 'schedule'],
        [own(sent, 'check'), text],
        [own(sent, 'turtle'), 'save'],
        ['/en/desk/datasets/h-0/check', 'withdraw'],
        ['/en/desk/datasets/h-0/history', text],
      ] as const) {
        const answer = await administrator.post(path, { ...typed, ...more, do: action })
        look(`${path} ${action}`, await answer.text())
        if (answer.status >= 500) harm.push(`${path} ${action} ${text}: ${answer.status}`)
      }
      for (const path of ['datasets?q=', 'datasets?state=', 'datasets?catalogue=', 'new?of='])
        await shown(`/en/desk/${path}${encodeURIComponent(text)}`)
      await shown(`/en/desk/datasets/${encodeURIComponent(text)}/check`)
      await shown(`/en/invitation/${encodeURIComponent(text)}`)
    }
    expect(harm).toEqual([])
  }, 240_000)
})
