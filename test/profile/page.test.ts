/** The answer of GET /profile. */

import { expect, test } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { profilePage } from '../../src/profile/profile-page.ts'
import { smallProfile } from './small.ts'

test('the page shows the entries with their fields', async () => {
  expect(profilePage(await loadProfile(await smallProfile()))).toMatchObject({
    enabled: true,
    id: 'tiny',
    version: '1',
    profileVersion: '1',
    title: 'Tiny',
    builtIn: false,
    core: [
      {
        id: 'dataset',
        path: 'tiny.ttl',
        shapeUri: 'https://example.org/shapes#Dataset',
        fields: [
          { name: 'id', mappingClass: 'StandardText', required: false, single: true },
          { name: 'catalog', fields: [{ name: 'id', required: true }] },
          { name: 'catalog_record' },
          { name: 'country' },
          { name: 'quality_meas' },
          { name: 'title', path: 'http://purl.org/dc/terms/title', required: true, single: false },
          { name: 'distributions', fields: [{ name: 'id' }, { name: 'access_url' }] },
        ],
      },
      { id: 'catalog' },
    ],
  })
})

test('the built-in profile is shown as such, with the alternatives of a path', async () => {
  const page = profilePage(await loadProfile())
  expect(page).toMatchObject({ enabled: false, builtIn: true })
  expect(JSON.stringify(page)).toContain(
    '"path":["http://www.w3.org/2002/07/owl#versionInfo","http://www.w3.org/ns/dcat#version"]',
  )
})

test('every field is shown with its dotted name, its counts and the shape that it embeds', async () => {
  const { core } = profilePage(await loadProfile(await smallProfile())) as {
    core: readonly { fields: readonly { name: string }[] }[]
  }
  const [, catalog, , , , title, distributions] = core[0]?.fields ?? []
  expect(catalog).toMatchObject({
    field: 'catalog',
    minCount: 0,
    maxCount: 1,
    fields: [{ name: 'id', field: 'catalog.id', minCount: 1, maxCount: 1 }],
  })
  expect(title).toMatchObject({ minCount: 1 })
  expect(title).not.toHaveProperty('maxCount')
  expect(distributions).toMatchObject({
    link: 'https://example.org/shapes#Distribution',
    fields: [{ field: 'distributions.id' }, { field: 'distributions.access_url' }],
  })
})

test('the types that a profile adds and the shape of concepts are shown', async () => {
  const page = profilePage(await loadProfile('test/profile/foreign/custom'))
  expect(page).toMatchObject({
    core: [{ id: 'dataset' }, { id: 'catalog' }],
    resources: [
      {
        id: 'station',
        name: 'Gauging station',
        path: 'station.ttl',
        shapeUri: 'https://water.example/shapes#StationShape',
        typeUri: 'https://water.example/def#Station',
        targetClass: 'https://water.example/def#Station',
        inCatalogue: true,
        searchSettings: { max_agg_size: 100, max_result_window: 10_000 },
      },
      { id: 'Show-Case-2', inCatalogue: false, searchSettings: { facets: [{ path: 'kind' }] } },
    ],
    concept: { shapeUri: 'urn:cartulary:profile#Vocable_Shape' },
  })
  expect(JSON.stringify(page)).toContain('"field":"river.label"')
})
