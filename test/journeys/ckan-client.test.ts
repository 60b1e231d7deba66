/** What clients of CKAN ask a portal by its address alone: organizations, groups, tags, resources, and what answers. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_PORTAL_CONFIG: JSON.stringify({ name: 'Data of the valley' }),
  })
  const put = async (path: string, body: string) => {
    const answer = await fetch(`${client(platform).repo}${path}`, {
      method: 'PUT',
      headers: { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' },
      body: `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .\n${body}`,
    })
    expect(answer.status).toBeLessThan(300)
  }
  await put('/catalogues/city', '<https://c.example/> a dcat:Catalog ; dct:title "Zell"@en .')
  await put('/catalogues/empty', '<https://e.example/> a dcat:Catalog ; dct:title "Auen"@en .')
  for (const [id, title, theme, keyword] of [
    ['trees', 'Street trees', 'ENVI', 'green'],
    ['levels', 'Water levels', 'ENVI', 'water'],
    ['budget', 'Budget', 'GOVE', 'money'],
  ])
    await put(
      `/catalogues/city/datasets/origin?originalId=${id}`,
      `<https://c.example/${id}> a dcat:Dataset ; dct:title "${title}"@en ; dcat:keyword "${keyword}"@en ;
       dcat:theme <http://publications.europa.eu/resource/authority/data-theme/${theme}> ;
       dcat:distribution <https://c.example/${id}#f> . <https://c.example/${id}#f> a dcat:Distribution ;
       dct:title "File"@en ; dcat:accessURL <https://c.example/${id}.csv> ;
       dct:license <http://publications.europa.eu/resource/authority/licence/CC_BY_4_0> .`,
    )
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

type Result = {
  readonly id: string
  readonly organization: { readonly id: string }
  readonly packages: readonly { readonly id: string }[]
  readonly resources: readonly { readonly id: string }[]
  readonly results: readonly Result[]
}
type Answer = { readonly success: boolean; readonly result: unknown; readonly error?: object }

const asked = async (path: string, status = 200): Promise<Answer> => {
  const answer = await fetch(`${platform.url}${path}`)
  expect([path, answer.status]).toEqual([path, status])
  return (await answer.json()) as Answer
}
const result = async (call: string) => (await asked(`/api/action/${call}`)).result
const fields = async (call: string) => (await result(call)) as Result

it.each(['/api/action', '/api/3/action', '/ckan/api/action', '/ckan/api/3/action', '/ckan'])(
  'the calls are at the root of the platform: %s',
  async (prefix) => {
    expect((await asked(`${prefix}/package_list`)).result).toEqual(['budget', 'levels', 'trees'])
    expect((await asked(`/api/hub/search${prefix}/site_read`)).result).toBe(true)
    const posted = await fetch(`${platform.url}${prefix}/package_show`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"id":"trees"}',
    })
    expect(await posted.json()).toMatchObject({ success: true, result: { title: 'Street trees' } })
  },
)

it('organizations are catalogues, those without datasets too', async () => {
  expect(await result('organization_list')).toEqual(['city', 'empty'])
  expect(await result('organization_list?sort=title+asc')).toEqual(['empty', 'city'])
  expect(await result('organization_list?sort=package_count+desc&limit=1')).toEqual(['city'])
  expect(await result('organization_list?all_fields=true&offset=1')).toMatchObject([
    { id: 'empty', name: 'empty', title: 'Auen', package_count: 0, is_organization: true },
  ])
  expect(await result('organization_show?id=city')).toMatchObject({
    title: 'Zell',
    package_count: 3,
  })
  const whole = await fields('organization_show?id=city&include_datasets=true')
  expect(whole.packages.map(({ id }) => id).sort()).toEqual(await result('package_list'))
  const [first] = (await fields('package_search?q=trees')).results
  expect(await result(`organization_show?id=${first!.organization.id}`)).toMatchObject({
    id: 'city',
  })
})

it('groups are themes, tags are keywords, licences are those of the files', async () => {
  expect(await result('group_list')).toEqual(['ENVI', 'GOVE'])
  expect(await result('group_list?all_fields=1&sort=package_count+desc&limit=1')).toMatchObject([
    { name: 'ENVI', title: 'Environment', package_count: 2, type: 'group' },
  ])
  const group = await result('group_show?id=GOVE&include_datasets=true')
  expect(group).toMatchObject({ name: 'GOVE', packages: [{ id: 'budget' }] })
  expect(await result('tag_list')).toEqual(['green', 'money', 'water'])
  expect(await result('tag_list?query=WAT&all_fields=true')).toMatchObject([
    { name: 'water', display_name: 'water' },
  ])
  expect(await result('license_list')).toMatchObject([{ id: 'CC_BY_4_0', status: 'active' }])
})

it('a resource is found by its id', async () => {
  const [resource] = (await fields('package_show?id=trees')).resources
  expect(await result(`resource_show?id=${resource!.id}`)).toEqual(resource)
})

it('packages come by words that begin alike, and the latest first', async () => {
  expect(await result('package_autocomplete?q=wat')).toEqual([
    {
      name: 'levels',
      title: 'Water levels',
      match_field: 'title',
      match_displayed: 'Water levels',
    },
  ])
  const latest = (await result('current_package_list_with_resources?limit=2')) as readonly Result[]
  expect(latest).toHaveLength(2)
  expect(latest[0]!.resources).toHaveLength(1)
  expect(await result('current_package_list_with_resources?limit=2&offset=99999')).toEqual([])
})

it('the site says what it is and what its actions take', async () => {
  expect(await result('status_show')).toMatchObject({
    site_title: 'Data of the valley',
    site_url: platform.url,
  })
  expect(await result('help_show?name=package_search')).toMatch(/^Search datasets\n:param q: /)
})

it.each([
  ['organization_show?id=nobody', 404, 'Not Found Error'],
  ['group_show?id=nobody', 404, 'Not Found Error'],
  ['resource_show?id=nobody', 404, 'Not Found Error'],
  ['resource_show?id=%22+OR+*', 404, 'Not Found Error'],
  ['help_show?name=constructor', 404, 'Not Found Error'],
  ['organization_show', 409, 'Validation Error'],
  ['organization_list?limit=many', 409, 'Validation Error'],
])('%s is refused as CKAN refuses it', async (call, status, type) => {
  expect(await asked(`/api/action/${call}`, status)).toMatchObject({
    success: false,
    error: { __type: type },
  })
})
