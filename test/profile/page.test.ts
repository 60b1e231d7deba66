/** The answer of GET /profile. */

import { expect, test } from 'vitest'
import { loadProfile } from '../../src/profile/load.ts'
import { profilePage } from '../../src/profile/page.ts'
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
