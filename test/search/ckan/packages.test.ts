/** Records as packages of CKAN. */

import { describe, expect, it } from 'vitest'
import { packageOf } from '../../../src/search/ckan/ckan-packages.ts'

const record = {
  id: 'rivers',
  resource: 'https://portal.example/set/data/rivers',
  title: { de: 'Flüsse', en: 'Rivers' },
  description: { de: 'Pegel', fr: 'Niveaux' },
  catalog: {
    id: 'waters',
    title: { de: 'Gewässer' },
    language: [{ id: 'fr', label: 'French' }],
  },
  catalog_record: { issued: '2020-01-01T00:00:00Z', modified: '2024-03-01T00:00:00Z' },
  issued: '2019-01-01T00:00:00Z',
  modified: '2024-02-01T00:00:00Z',
  landing_page: [{ resource: 'https://waters.example/rivers' }, { resource: 'https://b.example/' }],
  publisher: { type: 'Organization', name: 'Water Board', resource: 'https://board.example/#me' },
  contact_point: [
    { type: 'Kind', name: 'Desk', email: 'mailto:desk@board.example' },
    { type: 'Kind', name: 'Other' },
  ],
  keywords: [
    { id: 'open-data', label: 'Open data', language: 'en' },
    { id: 'water', label: 'Water', language: 'en' },
  ],
  categories: [
    { id: 'ENVI', label: { en: 'Environment' }, resource: 'https://t.example/ENVI' },
    { id: 'REGI', label: { fr: 'Régions', de: 'Regionen' }, resource: 'https://t.example/REGI' },
  ],
  language: [{ id: 'de', label: 'German', resource: 'https://l.example/DEU' }],
  spatial: [{ type: 'Point', coordinates: [8, 50] }],
  distributions: [
    { id: 'one', access_url: ['https://files.example/one'] },
    {
      id: 'two',
      title: { de: 'Tabelle' },
      description: { en: 'All gauges' },
      access_url: ['https://files.example/two'],
      download_url: ['https://files.example/two.csv', 'https://files.example/two.zip'],
      format: { id: 'CSV', label: 'CSV file', resource: 'https://t.example/CSV' },
      media_type: 'text/csv',
      byte_size: 120,
      checksum: { algorithm: 'sha1', checksum_value: 'abc' },
      issued: '2019-02-01T00:00:00Z',
      modified: '2019-03-01T00:00:00Z',
      license: {
        id: 'CC_BY_4_0',
        label: 'CC BY 4.0',
        resource: 'https://t.example/CC_BY_4_0',
        la_url: 'https://creativecommons.org/licenses/by/4.0/',
      },
    },
  ],
}

describe('a package', () => {
  const made = packageOf(record)

  it('names the dataset and tells what it is, in English or its main language', () => {
    expect(made).toMatchObject({
      id: 'rivers',
      name: 'rivers',
      title: 'Rivers',
      notes: 'Niveaux',
      title_translated: { de: 'Flüsse', en: 'Rivers' },
      notes_translated: { de: 'Pegel', fr: 'Niveaux' },
      url: 'https://waters.example/rivers',
      metadata_created: '2020-01-01T00:00:00Z',
      metadata_modified: '2024-03-01T00:00:00Z',
      type: 'dataset',
      state: 'active',
      private: false,
    })
  })

  it('says who stands behind it', () => {
    expect(made).toMatchObject({
      organization: { id: 'waters', name: 'waters', title: 'Gewässer', type: 'organization' },
      owner_org: 'waters',
      author: 'Water Board',
      maintainer: 'Desk',
      maintainer_email: 'desk@board.example',
    })
  })

  it('has tags, groups and the licence of its first distribution that has one', () => {
    expect(made).toMatchObject({
      tags: [
        { name: 'open-data', display_name: 'Open data' },
        { name: 'water', display_name: 'Water' },
      ],
      num_tags: 2,
      groups: [
        { name: 'ENVI', title: 'Environment', display_name: 'Environment' },
        { name: 'REGI', title: 'Régions', display_name: 'Régions' },
      ],
      license_id: 'CC_BY_4_0',
      license_title: 'CC BY 4.0',
      license_url: 'https://creativecommons.org/licenses/by/4.0/',
    })
  })

  it('keeps the rest as extras', () => {
    expect(made['extras']).toEqual([
      { key: 'issued', value: '2019-01-01T00:00:00Z' },
      { key: 'modified', value: '2024-02-01T00:00:00Z' },
      { key: 'uri', value: 'https://portal.example/set/data/rivers' },
      { key: 'publisher_uri', value: 'https://board.example/#me' },
      { key: 'theme', value: '["https://t.example/ENVI","https://t.example/REGI"]' },
      { key: 'language', value: '["de"]' },
      { key: 'spatial', value: '{"type":"Point","coordinates":[8,50]}' },
    ])
  })

  it('has a resource for every distribution', () => {
    expect(made['num_resources']).toBe(2)
    expect(made['resources']).toMatchObject([
      { id: 'one', url: 'https://files.example/one', position: 0, name: null, size: null },
      {
        id: 'two',
        package_id: 'rivers',
        position: 1,
        name: 'Tabelle',
        description: 'All gauges',
        url: 'https://files.example/two.csv',
        format: 'CSV file',
        mimetype: 'text/csv',
        size: 120,
        hash: 'abc',
        hash_algorithm: 'sha1',
        created: '2019-02-01T00:00:00Z',
        last_modified: '2019-03-01T00:00:00Z',
        license: 'https://t.example/CC_BY_4_0',
        state: 'active',
      },
    ])
  })

  it('has all its keys where the record says nothing', () => {
    expect(packageOf({ id: 'bare' })).toEqual({
      id: 'bare',
      name: 'bare',
      title: 'bare',
      notes: null,
      title_translated: {},
      notes_translated: {},
      url: null,
      type: 'dataset',
      state: 'active',
      private: false,
      metadata_created: null,
      metadata_modified: null,
      organization: null,
      owner_org: null,
      author: null,
      maintainer: null,
      maintainer_email: null,
      license_id: null,
      license_title: null,
      license_url: null,
      tags: [],
      num_tags: 0,
      groups: [],
      resources: [],
      num_resources: 0,
      extras: [],
    })
  })

  it('takes fields in the shapes of other profiles', () => {
    const other = packageOf({
      id: 7,
      title: 'Plain',
      keywords: { id: 'one', label: 'One' },
      distributions: { id: 'd', format: 'CSV', byte_size: 'many' },
      publisher: ['x'],
      contact_point: null,
    })
    expect(other).toMatchObject({
      id: '7',
      title: 'Plain',
      title_translated: {},
      tags: [{ name: 'one', display_name: 'One' }],
      resources: [{ id: 'd', format: null, size: null }],
      author: null,
      maintainer: null,
    })
  })
})
