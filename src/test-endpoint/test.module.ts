import { Module } from '@nestjs/common';
import { TestController } from './test.controller.js';

/** The test endpoint. */
@Module({ controllers: [TestController] })
export class TestModule {}
