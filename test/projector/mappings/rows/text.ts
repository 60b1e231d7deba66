/** Texts, strings and keywords: rows of the mapping table. */

import type { Rows } from '../mapped.ts'

const rows: Rows = {
  SimpleMultiLangTitle: [
    ['"Forêts"@fr, "Forests"@en', { en: 'Forests', fr: 'Forêts' }],
    ['" Wasser "@DE, "   "@fr', { de: 'Wasser' }],
    ['"plain", "other"@en-GB', { en: 'plain', 'en-GB': 'other' }],
    ['"plain", "exact"@en', { en: 'exact' }, ['same-language-twice: plain']],
    ['<https://a.example/x>, [ ]', undefined, ['not-a-literal', 'not-a-literal']],
  ],
  SimpleMultiLang: [
    ['42, true', { en: '42' }, ['same-language-twice: true']],
    ['"Agua"@es-t-en-t0-mtec, "Water"@en', { en: 'Water', es: 'Agua' }],
    [
      '"Menschlich"@de, "Maschinell"@de-t-en-t0-mtec',
      { de: 'Menschlich' },
      ['same-language-twice'],
    ],
    ['[ ]', undefined, ['not-a-literal']],
  ],
  MultiLang: [
    ['"Grüezi"@de-CH', { de: 'Grüezi' }],
    ['"b"@de-CH, "a"@de-AT', { de: 'a', 'de-CH': 'b' }],
    ['"a"@de, "b"@DE-ch, "c"@de-CH', { de: 'a', 'DE-ch': 'b' }, ['same-language-twice: c']],
    ['"b"@en, "a"@en', { en: 'a' }, ['same-language-twice: b']],
    ['"b"@x-default, "a"@fr', { en: 'b', fr: 'a' }],
    ['"a"@und, "b"@en', { en: 'b' }, ['same-language-twice: a']],
    ['[ rdf:value "a"@fr ], "b"@en', { en: 'b', fr: 'a' }],
  ],
  StandardText: [
    ['"Pegel 2024/1"', ['Pegel 2024/1']],
    ['<https://a.example/x>', 'https://a.example/x', [], 1],
    ['"b", "a", "a"@en', ['a', 'b']],
    ['"b", "a"', 'a', ['too-many-values: b'], 1],
    ['[ ]', undefined, ['not-a-literal']],
  ],
  StandardDisabled: [
    ['<https://a.example/x>', ['https://a.example/x']],
    ['"https://a.example/y"', ['https://a.example/y']],
    ['[ ]', undefined, ['not-an-iri']],
  ],
  StandardKeyword: [
    ['"P1D"^^xsd:duration', 'P1D', [], 1],
    ['<https://a.example/x>, "y"', ['https://a.example/x', 'y']],
    ['[ ]', undefined, ['not-an-iri']],
  ],
  StandardResourceKeyword: [
    ['<https://a.example/v1>, [ ]', ['https://a.example/v1']],
    ['"https://a.example/v2"^^xsd:anyURI', ['https://a.example/v2']],
    ['"version 2"', undefined, ['not-an-iri: version 2']],
  ],
  LabeledText: [
    ['"2.1"', '2.1', [], 1],
    ['<https://a.example/x>', 'https://a.example/x', [], 1],
    ['[ ]', undefined, ['not-a-literal']],
  ],
  MediaType: [
    ['<https://www.iana.org/assignments/media-types/text/csv>', 'text/csv', [], 1],
    ['<http://iana.org/assignments/media-types/application/ld+json>', 'application/ld+json', [], 1],
    ['"Text/HTML; charset=utf-8"', 'text/html', [], 1],
    ['"CSV"', 'text/csv', [], 1],
    ['[ a dct:MediaType ; rdfs:label "text/csv" ]', 'text/csv', [], 1],
    ['[ rdf:value <https://www.iana.org/assignments/media-types/text/csv> ]', 'text/csv', [], 1],
    ['eu:file-type\\/CSV', 'text/csv', [], 1],
    ['"a table"', 'a table', ['bad-media-type: a table'], 1],
    ['[ ]', undefined, ['bad-media-type'], 1],
  ],
  Keywords: [
    [
      '"Feinstaub (PM10)"@de',
      [{ id: 'feinstaub-pm10', label: 'Feinstaub (PM10)', language: 'de' }],
    ],
    [
      '"Køn"@da, "køn"@da, "forêts"',
      [
        { id: 'forêts', label: 'forêts', language: 'en' },
        { id: 'køn', label: 'Køn', language: 'da' },
      ],
    ],
    [
      '"roads, bridges", "--", ""',
      [{ id: 'roads-bridges', label: 'roads, bridges', language: 'en' }],
    ],
    [
      '"C", "C++", "C#", "R&D", "R / D", ".NET", "net", "A+", "1.5°", "1,5", "e.g. maps", "💧"',
      [
        ['.net', '.NET'],
        ['1,5', '1,5'],
        ['1.5°', '1.5°'],
        ['a+', 'A+'],
        ['c', 'C'],
        ['c#', 'C#'],
        ['c++', 'C++'],
        ['e.g-maps', 'e.g. maps'],
        ['net', 'net'],
        ['r&d', 'R&D'],
        ['r/d', 'R / D'],
        ['💧', '💧'],
      ].map(([id, label]) => ({ id, label, language: 'en' })),
    ],
    [
      '"A-", "AB+", "Umwelt-", [ skos:prefLabel "Straße"@de, "Road"@en ]',
      [
        { id: 'a-', label: 'A-', language: 'en' },
        { id: 'ab+', label: 'AB+', language: 'en' },
        { id: 'road', label: 'Road', language: 'en' },
        { id: 'straße', label: 'Straße', language: 'de' },
        { id: 'umwelt', label: 'Umwelt-', language: 'en' },
      ],
    ],
    ['eu:data-theme\\/ENVI', [{ id: 'environment', label: 'Environment', language: 'en' }]],
    ['<https://a.example/x>', undefined, ['unknown-concept: https://a.example/x']],
    ['"b", "a"@de', { id: 'a', label: 'a', language: 'de' }, ['too-many-values: b'], 1],
  ],
}

const alike: Rows = {
  MultiLangTitle: rows.MultiLang ?? [],
  TrimmedMultiLangTitle: rows.SimpleMultiLangTitle ?? [],
  TrimmedMultiLangSubtitle: rows.SimpleMultiLang ?? [],
}

export const textRows: Rows = { ...rows, ...alike }
