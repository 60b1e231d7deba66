/** Titles in scripts without spaces are found by their words. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { textLeaf, type TextKind } from '../../src/search/query/leaves.ts'
import { indexedLanguages } from '../../src/text/language.ts'
import { configured, documentOf, request } from '../contracts/search-index-corpus.ts'

/** Ten titles per language, each with words of it that are searched; the title is the id of its record. */
const titles: Readonly<Record<string, readonly (readonly [title: string, words: string])[]>> = {
  ja: [
    ['東京都の人口統計', '東京都 人口 統計'],
    ['公共施設一覧', '公共 施設 一覧 公共施設'],
    ['避難所の位置情報', '避難所 位置情報'],
    ['保育園の入園状況', '保育園 入園'],
    ['道路交通量調査', '道路 交通量 調査'],
    ['河川の水質測定結果', '河川 水質 測定'],
    ['図書館の蔵書数', '図書館 蔵書'],
    ['ごみ収集日カレンダー', 'ごみ 収集 カレンダー'],
    ['観光客数の推移', '観光 推移'],
    ['小学校の児童数', '小学校 児童'],
  ],
  zh: [
    ['北京市空气质量监测数据', '北京市 空气 空气质量 数据'],
    ['公共图书馆名录', '图书馆 名录'],
    ['城市道路交通流量', '城市 道路 交通 流量'],
    ['中小学校分布', '中小学校 分布'],
    ['医院床位统计', '医院 床位 统计'],
    ['河流水质报告', '河流 水质 报告'],
    ['公交车站位置', '车站 位置'],
    ['垃圾分类收集点', '垃圾 分类 垃圾分类'],
    ['人口普查结果', '人口普查 结果'],
    ['公园绿地面积', '公园 绿地 面积'],
  ],
  th: [
    ['ข้อมูลคุณภาพอากาศรายชั่วโมง', 'ข้อมูล คุณภาพ อากาศ ชั่วโมง'],
    ['รายชื่อโรงเรียนในกรุงเทพมหานคร', 'โรงเรียน กรุงเทพมหานคร'],
    ['สถิติประชากรรายจังหวัด', 'สถิติ ประชากร จังหวัด'],
    ['แผนที่ถนนและสะพาน', 'แผนที่ ถนน สะพาน'],
    ['ปริมาณน้ำในเขื่อน', 'ปริมาณ น้ำ เขื่อน'],
    ['จำนวนนักท่องเที่ยวต่างชาติ', 'จำนวน นักท่องเที่ยว ต่างชาติ'],
    ['ตำแหน่งโรงพยาบาล', 'โรงพยาบาล'],
    ['งบประมาณรายจ่ายประจำปี', 'งบประมาณ รายจ่าย'],
    ['พื้นที่ป่าไม้', 'พื้นที่ ป่าไม้'],
    ['จุดเสี่ยงอุบัติเหตุ', 'อุบัติเหตุ'],
  ],
}
/** Words of titles that do not find them, because the segmenter divides the title at other places. */
const notFound: readonly (readonly [word: string, title: string])[] = [
  ['京都', '東京都の人口統計'],
  ['北京', '北京市空气质量监测数据'],
  ['学校', '中小学校分布'],
  ['公交车', '公交车站位置'],
  ['人口', '人口普查结果'],
]
/** Has the segments of `東京都`, but not side by side. */
const apart = '都の東京事務所'

let directory: string
let index: SearchIndex

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'segments-'))
  index = await embeddedIndex({ directory, log: logger('silent'), languages: indexedLanguages })
  await configured(index)
  const samples = Object.entries(titles).flatMap(([language, some]) =>
    some.map(([title]) => ({ id: title, text: { title: { [language]: [title] } } })),
  )
  const all = [...samples, { id: apart, text: { title: { ja: [apart] } } }]
  await index.write(all.map((sample) => ({ put: documentOf({ index: 'dataset', ...sample }) })))
})

afterAll(async () => {
  await index.close()
  rmSync(directory, { recursive: true })
})

async function found(text: string, kind: TextKind = 'word'): Promise<readonly string[]> {
  const { hits } = await index.search(request({ tree: textLeaf(text, kind)! }))
  return hits.map(({ id }) => id)
}

describe.each(Object.entries(titles))('%s', (_, some) => {
  it.each(some)('%s is found by %s', async (title, words) => {
    for (const word of words.split(' ')) {
      expect([word, await found(word)]).toEqual([word, expect.arrayContaining([title])])
      expect([word, await found(word, 'quoted')]).toEqual([word, expect.arrayContaining([title])])
    }
  })

  it.each(some)('%s is found by itself alone', async (title) => {
    expect(await found(title)).toEqual([title])
  })
})

describe('segments', () => {
  it('a word of several is a phrase of them, which texts with the segments apart do not match', async () => {
    expect(textLeaf('東京都', 'word')).toEqual({ kind: 'phrase', tokens: ['東京', '都'] })
    expect(textLeaf('図書館', 'word')).toMatchObject({ kind: 'term', token: '図書館' })
    expect(await found('東京都')).toEqual(['東京都の人口統計'])
    expect([...(await found('東京'))].sort()).toEqual(['東京都の人口統計', apart].sort())
  })

  it.each(notFound)('%s does not find %s, which is divided elsewhere', async (word, title) => {
    expect(title).toContain(word)
    expect(await found(word)).not.toContain(title)
  })
})
