/** Values of sources: text, HTML, addresses, dates, sizes. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dateLiteral, type DateOptions } from '../../../../src/vocabularies/dates.ts'
import { textFromHtml } from '../../../../src/vocabularies/html-text.ts'
import {
  plainText,
  meaningfulText,
  parseEmbeddedJson,
  suffixOf,
} from '../../../../src/vocabularies/loose-values.ts'
import { bytesOf } from '../../../../src/vocabularies/sizes.ts'
import {
  contactAddress,
  isUsableIri,
  webAddress,
} from '../../../../src/harvest/mapping/addresses.ts'

describe('text', () => {
  it.each(['', ' ', 'null', 'N/A', '-', 'none', '{{title}}', null, undefined, {}, [], true])(
    'that says nothing is absent: %j',
    (value) => {
      expect(meaningfulText(value)).toBeUndefined()
    },
  )

  it('is trimmed, whole and without what XML cannot carry', () => {
    expect(plainText(' a\u0000b\ud800 ')).toBe('ab')
    expect(plainText(12)).toBe('12')
  })

  it('that is JSON is read, and stays text when it is not', () => {
    expect(parseEmbeddedJson('["a"]')).toEqual(['a'])
    expect(parseEmbeddedJson('[draft] A')).toBe('[draft] A')
  })
})

describe('HTML', () => {
  it.each([
    ['plain < b and c > d', 'plain < b and c > d'],
    ['<p>One</p><p>Two &amp; three</p>', 'One\n\nTwo & three'],
    ['a<br/>b<BR>c', 'a\nb\nc'],
    ['<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    [
      'see <a href="https://a.example/x?a=1&amp;b=2">here</a>',
      'see here (https://a.example/x?a=1&b=2)',
    ],
    ['<a href="https://a.example/">https://a.example/</a>', 'https://a.example/'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['<script>alert("<p>")</script>after', 'after'],
    ['<!-- no --> yes', 'yes'],
    ['&#228;&#xe4;&auml;&nosuch;&#0;&#xd800;', 'äää&nosuch;\ufffd\ufffd'],
    ['&Oacute;&scaron;&Zcaron;', 'ÓšŽ'],
    ['<a title="a > b" href="https://a.example/">x</a> y', 'x (https://a.example/) y'],
    ['<p title="a > b">x</p>', 'x'],
    ['values <low limit of <b>all</b> <high', 'values <low limit of all <high'],
    [
      'ask <desk@city.example> or <https://a.example/?a=1&copy=2> <br>',
      'ask desk@city.example or https://a.example/?a=1&copy=2',
    ],
    ['<!-- never closed', '<!-- never closed'],
  ])('%j becomes %j', (html, text) => {
    expect(textFromHtml(html)).toBe(text)
  })

  it('is read in linear time, however it is broken', () => {
    const sizes = ['<', '<a ', '<!--', '&', '&#', '<a href="', '</', '<script>', '<a>'].map(
      (piece) => textFromHtml(piece.repeat(200_000)).length,
    )
    expect(sizes).toHaveLength(9)
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void textFromHtml(text)))
  })
})

describe('addresses', () => {
  const read = (value: unknown) => {
    const found: string[] = []
    const notes = {
      options: { base: 'https://portal.example/ckan/' },
      note: (slug: string) => void found.push(slug),
    }
    return [webAddress(value, notes, 'dcat:accessURL'), found] as const
  }

  it.each([
    ['https://a.example/x', 'https://a.example/x', []],
    [' ftp://a.example/x ', 'ftp://a.example/x', []],
    ['/files/a.csv', 'https://portal.example/files/a.csv', []],
    ['//a.example/x', 'https://a.example/x', []],
    ['https://a.example/a b', 'https://a.example/a%20b', ['repaired-iri']],
    ['https://a.example/a?b=[1]', 'https://a.example/a?b=%5B1%5D', ['repaired-iri']],
    ['https://u:p@a.example/x', 'https://a.example/x', ['secret-removed']],
    ['https://a.example/x?apikey=1&b=2#c', 'https://a.example/x?b=2#c', ['secret-removed']],
    ['https://a.example/x?X-App-Token=1', 'https://a.example/x', ['secret-removed']],
    ['javascript:alert(1)', undefined, ['dropped-url']],
    ['file:///etc/passwd', undefined, ['dropped-url']],
    ['see the annex', undefined, ['dropped-url']],
    ['www.a.example', undefined, ['dropped-url']],
    ['https://', undefined, ['dropped-url']],
    [`https://a.example/${'x'.repeat(2000)}`, undefined, ['dropped-url']],
    ['n/a', undefined, []],
    [7, undefined, ['dropped-url']],
  ])('%j becomes %j', (value, url, slugs) => {
    expect(read(value)).toEqual([url, slugs])
  })

  it('are IRIs or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' })), (text) => {
        const [url] = read(`https://a.example/${text}`)
        expect(url === undefined || isUsableIri(url)).toBe(true)
      }),
    )
  })

  it('of people are mailto and tel', () => {
    const notes = { options: { base: 'https://portal.example/' }, note: () => {} }
    const mail = (text: string) => contactAddress(text, 'mail', notes, 'x')
    const phone = (text: string) => contactAddress(text, 'telephone', notes, 'x')
    expect(mail('MAILTO: a@b.example')).toBe('mailto:a@b.example')
    expect(mail('a at b')).toBeUndefined()
    expect(mail('a@b.example, c@d.example')).toBeUndefined()
    expect(phone('+49 (0)30 12-34')).toBe('tel:+490301234')
    expect(phone('ask the desk')).toBeUndefined()
  })

  it('end in a suffix, or do not', () => {
    expect(suffixOf('https://a.example/x/Data.CSV?y=1')).toBe('csv')
    expect(suffixOf('https://a.example/x.tar.gz')).toBe('tar.gz')
    expect(suffixOf('https://a.example/')).toBeUndefined()
  })
})

describe('dates', () => {
  const read = (value: unknown, options: DateOptions = {}) => {
    const found = dateLiteral(value, options)
    return typeof found === 'object'
      ? `${found.value} ${found.datatype.value.replace(/.*#/, '')}`
      : found
  }

  it.each([
    ['2020', '2020 gYear'],
    ['2020-05', '2020-05 gYearMonth'],
    ['2020-05-06', '2020-05-06 date'],
    ['20200506', '2020-05-06 date'],
    ['2020-05-06T10:11:12.123456', '2020-05-06T10:11:12.123456Z dateTime'],
    ['2020-05-06 10:11', '2020-05-06T10:11:00Z dateTime'],
    ['2020-05-06T10:11:12+0200', '2020-05-06T10:11:12+02:00 dateTime'],
    [1_588_759_872, '2020-05-06T10:11:12Z dateTime'],
    ['1588759872123', '2020-05-06T10:11:12.123Z dateTime'],
    ['Tue, 18 Apr 2017 10:25:00 +0200', '2017-04-18T10:25:00+02:00 dateTime'],
    ['Tue, 04/18/2017 - 10:25', '2017-04-18T10:25:00Z dateTime'],
    ['18/04/2017', '2017-04-18 date'],
    ['04/05/2017', 'invalid'],
    ['04/05/2017 - 10:25'.repeat(10), 'invalid'],
    ['lun. 04/11/2024', '2024-11-04 date'],
    ['2024/1/4 08:15', '2024-01-04T08:15:00Z dateTime'],
    ['13-11-2024', '2024-11-13 date'],
    ['1er janvier 2024', '2024-01-01 date'],
    ['12 de marzo de 2023', '2023-03-12 date'],
    ['5. März 2021 8:05', '2021-03-05T08:05:00Z dateTime'],
    ['November 4, 2024', '2024-11-04 date'],
    ['3 listopad 2020', 'invalid'],
    ['31.02.2025', 'invalid'],
    ['yesterday', 'invalid'],
    ['2020-02-30', 'invalid'],
    ['2020-13-01', 'invalid'],
    ['0000-01-01', 'invalid'],
    ['2020-05-06T25:00:00', 'invalid'],
    ['R/P1D', 'invalid'],
    ['soon', 'invalid'],
    ['n/a', undefined],
    [null, undefined],
  ])('%j becomes %j', (value, date) => {
    expect(read(value)).toBe(date)
  })

  it('without a zone are of the configured one, summer and winter', () => {
    const options = { timezone: 'Europe/Berlin' }
    expect(read('2024-01-01T12:00:00', options)).toBe('2024-01-01T12:00:00+01:00 dateTime')
    expect(read('2024-07-01T12:00:00', options)).toBe('2024-07-01T12:00:00+02:00 dateTime')
    expect(read('2024-07-01T12:00:00', { timezone: '-03:30' })).toContain('-03:30')
  })

  it('with slashes are read in the configured order', () => {
    expect(read('03/04/2017', { dateOrder: 'dmy' })).toBe('2017-04-03 date')
    expect(read('03/04/2017', { dateOrder: 'mdy' })).toBe('2017-03-04 date')
    expect(read('13/14/2017', { dateOrder: 'mdy' })).toBe('invalid')
  })

  it('are a literal of the right form or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer(), fc.date().map(String)), (value) => {
        const found = read(value)
        expect(found ?? 'invalid').toMatch(/^(?:invalid|[\d-]+(?:T\S+)? (?:g?\w+))$/)
      }),
    )
  })
})

it.each([
  [1024, '1024'],
  ['1024', '1024'],
  ['12.5 KB', '12500'],
  ['12,5 kB', '12500'],
  ['1 MiB', '1048576'],
  ['2 Go', '2000000000'],
  ['99999999999999999999', '99999999999999999999'],
  [0, undefined],
  ['0', undefined],
  [-5, undefined],
  ['1,234', undefined],
  ['many', undefined],
  ['1 constructor', undefined],
  [Number.NaN, undefined],
  ['1.234.567', '1234567'],
  ['1,234,567', '1234567'],
  ["12'345", '12345'],
  ['1.234.567 KB', '1234567000'],
  ['3 Gigabyte', '3000000000'],
  ['2 mégaoctets', undefined],
  ['2 megaoctets', '2000000'],
  ['1.5 PB', '1500000000000000'],
  ['1.234', undefined],
  ['1.234 MB', '1234000'],
  ['ca. 12 KB', '12000'],
  ['~1,5 MB', '1500000'],
  ['-1', undefined],
])('a size of %j is %j bytes', (value, bytes) => {
  expect(bytesOf(value)).toBe(bytes)
})
