import { Type } from 'class-transformer';
import {
  Allow,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { describe, expect, it } from '@jest/globals';
import { DeleteOldCronRunsParams } from './handlers/delete-old-cron-runs.handler.js';
import { checkParams } from './job-params.js';

class Part {
  @IsString()
  @MinLength(2)
  name = 'none';
}

class Params {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(9)
  n?: number;

  @IsOptional()
  @IsString()
  @MinLength(2)
  @MaxLength(4)
  text?: string;

  @IsOptional()
  @IsIn(['a', 'b'])
  choice?: string;

  @IsOptional()
  @IsObject()
  free?: object;

  @Allow()
  any?: unknown;

  @IsOptional()
  @ValidateNested()
  @Type(() => Part)
  part?: Part;

  total(): number {
    return this.n ?? 0;
  }
}

/** As they come out of a body. */
const check = (text: string) => checkParams(JSON.parse(text) as unknown, Params);

describe('keys that every object has', () => {
  const KEYS = [...Object.getOwnPropertyNames(Object.prototype), 'total'];

  it('are refused where the handler says what it takes, at any depth', () => {
    expect(KEYS).toEqual(expect.arrayContaining(['constructor', 'toString', 'valueOf', '__proto__']));
    for (const key of KEYS) {
      const fault = { fault: `params: property ${key} should not exist.` };
      for (const value of ['1', 'null', '{}', '"x"', '{"x":{}}']) {
        expect(check(`{"n":1,"${key}":${value}}`)).toEqual(fault);
        if (key === 'total') continue; // a method of the outermost class alone
        for (const slot of ['any', 'free', 'part', 'unknown'])
          expect(check(`{"${slot}":{"${key}":${value}}}`)).toEqual(fault);
        expect(check(`{"any":[[{"${key}":${value}}]]}`)).toEqual(fault);
      }
    }
    expect(check('{"any":{"total":1,"constructors":{"to_string":[]}}}')).toMatchObject({
      params: { any: { total: 1, constructors: { to_string: [] } } },
    });
  });

  it('are a handler’s own affair where it takes any', () => {
    const params = JSON.parse('{"x":{"constructor":1}}') as object;
    expect(checkParams(params, null)).toEqual({ params });
  });
});

describe('what is said', () => {
  it.each([
    ['{"n":"5"}', 'params: n must be an integer number.'],
    ['{"n":[5]}', 'params: n must be an integer number.'],
    ['{"n":1.5}', 'params: n must be an integer number.'],
    ['{"n":0}', 'params: n must not be less than 1.'],
    ['{"n":10}', 'params: n must not be greater than 9.'],
    ['{"text":7}', 'params: text must be a string.'],
    ['{"text":"x"}', 'params: text must be longer than or equal to 2 characters.'],
    ['{"text":"xxxxx"}', 'params: text must be shorter than or equal to 4 characters.'],
    ['{"choice":"c"}', 'params: choice must be one of the following values: a, b.'],
    ['{"free":1}', 'params: free must be an object.'],
    ['{"more":1}', 'params: property more should not exist.'],
    ['{"part":7}', 'params: nested property part must be either object or array.'],
    ['{"part":{"name":7}}', 'params.part: name must be a string.'],
    ['{"part":{"more":7}}', 'params.part: property more should not exist.'],
  ])('%s: %s', (text, fault) => {
    expect(check(text)).toEqual({ fault });
  });

  it('of the handler that is there', () => {
    const days = (value: unknown) => checkParams({ days: value }, DeleteOldCronRunsParams);
    expect(days('5')).toEqual({ fault: 'params: days must be an integer number.' });
    expect(days(0)).toEqual({ fault: 'params: days must not be less than 1.' });
    expect(days(40_000)).toEqual({ fault: 'params: days must not be greater than 36500.' });
    expect(days(5)).toEqual({ params: { days: 5 } });
  });
});
