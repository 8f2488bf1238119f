BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0004');
CREATE TABLE block (
	id VARCHAR NOT NULL, 
	hmac BLOB NOT NULL, 
	body TEXT NOT NULL, 
	tombstone TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (hmac)
);
INSERT INTO "block" VALUES('dc862a2f8345433892c0eab70165ec6d',X'67262552D27248037550C4A4A155165C1ABB5F36D1C855F31136EBA04256AE87','{"type":"text","text":"\"따옴표\" 그리고\n줄바꿈"}',NULL);
INSERT INTO "block" VALUES('6b95142e79aa4efd863060afd3917a80',X'56B3FA57F072C9A1905C88A8DC34FB5B84C1D7B05C1B8D627904EE636BDED5C6','{"name":"calculator"}',NULL);
INSERT INTO "block" VALUES('c0e423d6a2294a5f9aa4f2bac4196ceb',X'0E7AB27CEF907348F9700A1C23A24D7574DB8EAEDBD95D0108287CF7A5992DEC','{"type":"text","text":"be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. "}',NULL);
INSERT INTO "block" VALUES('d20d44d576d44dff9a0feb6147e00c75',X'7377717840728D4B7805CCB8697393662A9DD1D9AE9CC64EB163265DAEF8F0BD','{"type":"thinking","thinking":"흠 …","signature":"Eo="}',NULL);
INSERT INTO "block" VALUES('db627c99c4e4470d984a28c661eb8246',X'9FF6190B408795FF065FAFFAB17724F87932738C0E0D7AF947E0407D7DDCBC96','{"type":"text","text":"an answer"}',NULL);
INSERT INTO "block" VALUES('84e4d3b000f74044a4cf7811b72368b6',X'AE816434032B48CC7282198752E8FC6604CAEDCBE7F08A184A0EEA2041FF465F','{"type":"text","text":"second question"}',NULL);
INSERT INTO "block" VALUES('4d410c3b95964556b4e1423421e9191c',X'CC61ED78664D1C1878008558E05DDCC8A33281B7DF32D8072F18727BDD06CEC8','{"type":"text","text":"Be brief. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. "}',NULL);
INSERT INTO "block" VALUES('3093ef3f664f4f3aae4702749c6aa3f4',X'AD190F98ACCD9B67B294DF6C8306062D578698551FB53A80FD6400D487B1062E','{"type":"text","text":"a second answer"}',NULL);
INSERT INTO "block" VALUES('90f12441bf844e109109ba2422af8cce',X'B6D3EFBD07A9D103AC8EDF84C32C01AD740CF46238C7258D515E8ACA546BE4D2','{"type":"text","text":"third question"}',NULL);
INSERT INTO "block" VALUES('91362d2723b54c5088ab457da6b085f9',X'34FF46396D8F68B5831FA5C6F37E8CD3FC5C9DAE793445BE0FBE2F0E29C9B19A','{"type":"text","text":"soon forgotten"}',NULL);
INSERT INTO "block" VALUES('8c6bdac4fea74a60978ed783c58ff324',X'D32F0AD46D5DF39EF3005FC8ECDF80E155343D46F55D74FCD0BDE2E6CFF9AD29','{"type":"text","text":"be kind"}',NULL);
INSERT INTO "block" VALUES('94b8791969604f98808146ccd424be23',X'158F963829BE5D8E750180861C43FEEEE332CB27724691F087FFD21E3A6FF9E4','{"type":"text","text":"pretended"}',NULL);
INSERT INTO "block" VALUES('94c27fc8db78433b8b1b99b71248ab3a',X'4E5A19C641151F932F310A41D8BB3DF8D48031C07BF325E5ABFC96C26C7F7581','{"type":"thinking","thinking":"secretly","signature":"Eo="}',NULL);
INSERT INTO "block" VALUES('b4be35227f3b4cf798b178ca9d6e3f78',X'FE836B719843C7758DDB9248C98ECA97DE838F30B4FB90253DB122575C980876','{"type":"text","text":"Let me look."}',NULL);
INSERT INTO "block" VALUES('23c8ef423cdb4af98b23f3dbcc213b62',X'D1F5972B748EFD8780CDBEEEEA773778E797A7C8657117EAE2C1E314B0906E96','{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"/srv/백업/b2-mn-offsite.log"}}',NULL);
INSERT INTO "block" VALUES('eacbf9bd64fd4a60bcb252985b09b706',X'3E49447A130085833F1FD0A2649E90D04C2A309E7DB41BF7E647DFF58AEE0528','{"type":"tool_result","tool_use_id":"toolu_1","content":"exit code 4711\nlog line\nlog line\nlog line\n"}',NULL);
INSERT INTO "block" VALUES('4e846d26fa1d4279bca5a128d35b1427',X'77BE46A53C27D7789E948FD8D09FFB2DA77DC4958F6E05E2AE448666083E5D22','{"type":"text","text":"복원은 2026-03-14에 끝났습니다."}',NULL);
INSERT INTO "block" VALUES('a33da1ef2a8f41eeb01a4e269e8d3da9',X'D0CD67343C39C95AFEF0489E4A0CF4E345C86BCEB375AF2121421BB3CFFF2D64','{"type":"text","text":"고마워요, 보리랑 산책하고 올게요."}',NULL);
INSERT INTO "block" VALUES('8ba9aeeb8f4b4d7faadf6fc700bb4c49',X'C7435EAA90AAD9C8660DA03671DD628A66561DE96B130DD4C1E60FB686304175','{"type":"text","text":"half an ans"}',NULL);
CREATE TABLE calibration (
	model_key VARCHAR NOT NULL, 
	state TEXT NOT NULL, 
	PRIMARY KEY (model_key)
);
CREATE TABLE compaction (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR NOT NULL, 
	conversation_id VARCHAR NOT NULL, 
	until_message_id VARCHAR NOT NULL, 
	summary TEXT NOT NULL, 
	folded INTEGER NOT NULL, 
	"before" INTEGER NOT NULL, 
	"after" INTEGER NOT NULL, 
	created_at TEXT NOT NULL, 
	model VARCHAR NOT NULL, 
	seconds FLOAT NOT NULL, 
	request_ids VARCHAR NOT NULL, 
	cause VARCHAR NOT NULL, 
	focus TEXT NOT NULL, 
	state VARCHAR NOT NULL, strategy VARCHAR DEFAULT 'memo' NOT NULL, written_by VARCHAR DEFAULT 'fork' NOT NULL, base_id VARCHAR, folded_tokens INTEGER DEFAULT '0' NOT NULL, summary_tokens INTEGER DEFAULT '0' NOT NULL, predicted INTEGER, block TEXT, edited BOOLEAN DEFAULT '0' NOT NULL, failure TEXT DEFAULT '' NOT NULL, result_limit INTEGER, 
	UNIQUE (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
INSERT INTO "compaction" VALUES(1,'fold-1','chat-1','answer-1','they walk',2,2150,300,'2026-11-30T10:04:00.000000+00:00','claude-opus-5-5',2.5,'["r4"]','by_hand','dogs','active','memo','fork',NULL,0,0,NULL,NULL,0,'',NULL);
INSERT INTO "compaction" VALUES(2,'fold-2','chat-1','done-1','## Goal
보리 walks',5,9000,700,'2026-11-30T10:00:00.000000+00:00','claude-opus-5-5',2.5,'[]','by_hand','숫자는 그대로','undone','memo','fork',NULL,0,0,NULL,NULL,0,'',NULL);
CREATE TABLE conversation (
	id VARCHAR NOT NULL, 
	profile VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	created_at TEXT, 
	updated_at TEXT, 
	head_id VARCHAR, 
	excerpt VARCHAR NOT NULL, 
	imported BOOLEAN NOT NULL, 
	simulated BOOLEAN NOT NULL, 
	owner VARCHAR, 
	deleted_at TEXT, 
	PRIMARY KEY (id)
);
INSERT INTO "conversation" VALUES('chat-1','default','보리와 산책','2026-11-30T13:55:29.215692+00:00','2026-11-30T15:59:58.305199+00:00','half-1','half an ans',0,0,NULL,NULL);
INSERT INTO "conversation" VALUES('deleted-1','work','gone','2026-11-30T13:55:29.221583+00:00','2026-11-30T13:55:29.310473+00:00','forgotten-1','soon forgotten',0,0,NULL,'2999-01-01T00:00:00.000000+00:00');
INSERT INTO "conversation" VALUES('pretend-1','default','pretended','2026-11-30T13:55:29.223610+00:00','2026-11-30T13:55:29.316079+00:00','pretended-1','pretended',0,1,NULL,NULL);
CREATE TABLE epoch (
	conversation_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	endpoint VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	system TEXT NOT NULL, 
	tools TEXT NOT NULL, facts TEXT DEFAULT '' NOT NULL, fact_revisions TEXT DEFAULT '[]' NOT NULL, dropped TEXT DEFAULT '[]' NOT NULL, facts_upto INTEGER DEFAULT '0' NOT NULL, compaction_id VARCHAR, result_limit INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (conversation_id, number), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
INSERT INTO "epoch" VALUES('chat-1',0,'api','claude-opus-5-5','be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. be kind. ','[{"name":"calculator"}]','강아지: 보리','[["5518a40d47bd4ba992b3aff63541f95d",1]]','[]',1,NULL,0);
CREATE TABLE fact (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR NOT NULL, 
	profile VARCHAR NOT NULL, 
	"key" TEXT NOT NULL, 
	same_key TEXT NOT NULL, 
	value TEXT NOT NULL, 
	category VARCHAR NOT NULL, 
	scope VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	pinned BOOLEAN NOT NULL, 
	revision INTEGER NOT NULL, 
	source_message_id VARCHAR, 
	source_conversation_id VARCHAR, 
	source_quote TEXT, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	last_used_at TEXT, 
	expires_at TEXT, 
	uses INTEGER NOT NULL, 
	deleted_at TEXT, 
	UNIQUE (id)
);
INSERT INTO "fact" VALUES(1,'5518a40d47bd4ba992b3aff63541f95d','default','강아지','강아지','보리','','','active','you',0,1,NULL,NULL,NULL,'2026-11-30T13:55:29.228715+00:00','2026-11-30T13:55:29.228715+00:00',NULL,NULL,0,NULL);
CREATE TABLE fact_change (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	fact_id VARCHAR NOT NULL, 
	profile VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at TEXT NOT NULL, 
	"before" TEXT, 
	"after" TEXT NOT NULL, 
	undone BOOLEAN NOT NULL
);
INSERT INTO "fact_change" VALUES(1,'5518a40d47bd4ba992b3aff63541f95d','default','added','you','2026-11-30T13:55:29.228715+00:00',NULL,'{"id":"5518a40d47bd4ba992b3aff63541f95d","profile":"default","key":"강아지","value":"보리","state":"active","origin":"you","revision":1,"created_at":"2026-11-30T13:55:29.228715+00:00","updated_at":"2026-11-30T13:55:29.228715+00:00","category":"","scope":"","pinned":false,"source":null,"last_used_at":null,"expires_at":null,"uses":0}',0);
CREATE TABLE fact_vector (
	fact_number INTEGER NOT NULL, 
	embedder VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (fact_number, embedder), 
	FOREIGN KEY(fact_number) REFERENCES fact (number) ON DELETE CASCADE
);
CREATE TABLE import_source (
	profile VARCHAR NOT NULL, 
	source_id VARCHAR NOT NULL, 
	conversation_id VARCHAR, 
	PRIMARY KEY (profile, source_id), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id) ON DELETE SET NULL
);
CREATE TABLE install (
	id INTEGER NOT NULL, 
	block_key BLOB NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "install" VALUES(1,X'B4445DC7E67B2979EEC409B65772B39E272D7A68548822632E577B241C367C99');
CREATE TABLE message (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR NOT NULL, 
	conversation_id VARCHAR NOT NULL, 
	parent_id VARCHAR, 
	role VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	created_at TEXT, 
	model VARCHAR, 
	epoch INTEGER, 
	request_id VARCHAR, 
	stop_reason VARCHAR, 
	seconds FLOAT, 
	owner VARCHAR, 
	source_id VARCHAR, 
	source_hash VARCHAR, 
	UNIQUE (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id) ON DELETE CASCADE, 
	FOREIGN KEY(parent_id) REFERENCES message (id)
);
INSERT INTO "message" VALUES(1,'question-1','chat-1',NULL,'user','typed','complete','2026-11-30T13:55:29.247253+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(2,'answer-1','chat-1','question-1','assistant','reply','complete','2026-11-30T13:55:29.268123+00:00','claude-opus-5-5',0,'r1','end_turn',1.25,NULL,NULL,NULL);
INSERT INTO "message" VALUES(3,'question-2','chat-1','answer-1','user','typed','complete','2026-11-30T13:55:29.272544+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(4,'answer-2','chat-1','question-2','assistant','reply','complete','2026-11-30T13:55:29.285321+00:00','claude-opus-5-5',0,'r2',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(5,'question-3','chat-1','answer-2','user','typed','complete','2026-11-30T13:55:29.288043+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(6,'forgotten-1','deleted-1',NULL,'user','typed','complete','2026-11-30T13:55:29.309516+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(7,'pretended-1','pretend-1',NULL,'user','typed','complete','2026-11-30T13:55:29.314723+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(8,'call-1','chat-1','question-3','assistant','reply','complete','2026-11-30T10:00:00.000000+00:00',NULL,0,NULL,'tool_use',NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(9,'result-1','chat-1','call-1','user','tool_results','complete','2026-11-30T10:00:00.000000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(10,'done-1','chat-1','result-1','assistant','reply','complete','2026-11-30T10:00:00.000000+00:00','claude-opus-5-5',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(11,'more-1','chat-1','done-1','user','typed','complete','2026-11-30T10:00:00.000000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(12,'half-1','chat-1','more-1','assistant','reply','streaming','2026-11-30T10:00:00.000000+00:00',NULL,0,NULL,NULL,NULL,'999999999:1:gone',NULL,NULL);
CREATE TABLE message_block (
	message_number INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	block_id VARCHAR NOT NULL, 
	PRIMARY KEY (message_number, position), 
	FOREIGN KEY(message_number) REFERENCES message (number) ON DELETE CASCADE, 
	FOREIGN KEY(block_id) REFERENCES block (id)
)
 WITHOUT ROWID

;
INSERT INTO "message_block" VALUES(8,2,'23c8ef423cdb4af98b23f3dbcc213b62');
INSERT INTO "message_block" VALUES(4,0,'3093ef3f664f4f3aae4702749c6aa3f4');
INSERT INTO "message_block" VALUES(10,0,'4e846d26fa1d4279bca5a128d35b1427');
INSERT INTO "message_block" VALUES(3,0,'84e4d3b000f74044a4cf7811b72368b6');
INSERT INTO "message_block" VALUES(12,0,'8ba9aeeb8f4b4d7faadf6fc700bb4c49');
INSERT INTO "message_block" VALUES(5,0,'90f12441bf844e109109ba2422af8cce');
INSERT INTO "message_block" VALUES(6,0,'91362d2723b54c5088ab457da6b085f9');
INSERT INTO "message_block" VALUES(7,0,'94b8791969604f98808146ccd424be23');
INSERT INTO "message_block" VALUES(8,0,'94c27fc8db78433b8b1b99b71248ab3a');
INSERT INTO "message_block" VALUES(11,0,'a33da1ef2a8f41eeb01a4e269e8d3da9');
INSERT INTO "message_block" VALUES(8,1,'b4be35227f3b4cf798b178ca9d6e3f78');
INSERT INTO "message_block" VALUES(2,0,'d20d44d576d44dff9a0feb6147e00c75');
INSERT INTO "message_block" VALUES(2,1,'db627c99c4e4470d984a28c661eb8246');
INSERT INTO "message_block" VALUES(1,0,'dc862a2f8345433892c0eab70165ec6d');
INSERT INTO "message_block" VALUES(9,0,'eacbf9bd64fd4a60bcb252985b09b706');
CREATE TABLE message_note (
	message_number INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	notes TEXT NOT NULL, 
	PRIMARY KEY (message_number), 
	FOREIGN KEY(message_number) REFERENCES message (number) ON DELETE CASCADE
);
INSERT INTO "message_note" VALUES(1,0,'[]');
CREATE TABLE message_unindexed (
	message_number INTEGER NOT NULL, 
	PRIMARY KEY (message_number), 
	FOREIGN KEY(message_number) REFERENCES message (number) ON DELETE CASCADE
);
CREATE TABLE owed (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	profile VARCHAR NOT NULL, 
	fact_id VARCHAR NOT NULL, 
	action VARCHAR NOT NULL
);
INSERT INTO "owed" VALUES(1,'default','5518a40d47bd4ba992b3aff63541f95d','put');
CREATE TABLE request (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR NOT NULL, 
	conversation_id VARCHAR NOT NULL, 
	base INTEGER, 
	shared INTEGER NOT NULL, 
	params TEXT NOT NULL, 
	marks TEXT NOT NULL, 
	betas TEXT NOT NULL, 
	turn_id VARCHAR NOT NULL, 
	turn INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	sent_at TEXT NOT NULL, 
	host VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	reserve INTEGER NOT NULL, 
	window INTEGER, 
	estimated INTEGER NOT NULL, 
	rows TEXT NOT NULL, 
	spans TEXT NOT NULL, 
	state VARCHAR NOT NULL, 
	counted INTEGER, 
	uncached INTEGER, 
	write_5m INTEGER, 
	write_1h INTEGER, 
	read INTEGER, 
	output INTEGER, 
	thinking INTEGER, 
	split_known BOOLEAN, 
	output_estimated BOOLEAN, 
	answered_by VARCHAR, 
	stop_reason VARCHAR, 
	remote_id VARCHAR, 
	error VARCHAR, 
	seconds FLOAT, 
	owner VARCHAR, purpose VARCHAR DEFAULT 'chat' NOT NULL, points TEXT DEFAULT '[]' NOT NULL, predicted TEXT, diagnosis TEXT, app_version VARCHAR DEFAULT '' NOT NULL, sides TEXT DEFAULT '[]' NOT NULL, edits TEXT DEFAULT '[]' NOT NULL, 
	UNIQUE (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id) ON DELETE CASCADE, 
	FOREIGN KEY(base) REFERENCES request (number)
);
INSERT INTO "request" VALUES(1,'r1','chat-1',NULL,0,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','question-1',1,1,'2026-11-30T10:01:00.000000+00:00','api.anthropic.com','claude-opus-5-5','6fb44772c3ef300b6b1a5bdea6116fc6e4102742a71d6f178c48826d520d0ea7',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[["current",0,0,1]]','answered',2010,10,2000,0,0,40,5,1,0,'claude-opus-5-5','end_turn','msg_1',NULL,1.5,NULL,'chat','[]',NULL,NULL,'','[]','[]');
INSERT INTO "request" VALUES(2,'r2','chat-1',1,1,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','question-2',2,1,'2026-11-30T10:02:00.000000+00:00','api.anthropic.com','claude-opus-5-5','ac1e0423b4c91e798ff7bfd6fd3045daa9d9e75d2b94bad68351741572064064',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[["current",2,0,1]]','answered',NULL,20,0,2100,0,60,NULL,0,0,NULL,'refusal',NULL,'{"type":"refusal","category":"cyber","explanation":"no"}',NULL,NULL,'chat','[]',NULL,NULL,'','[]','[]');
INSERT INTO "request" VALUES(3,'r3','chat-1',2,6,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','question-3',3,1,'2026-11-30T10:03:00.000000+00:00','api.anthropic.com','claude-opus-5-5','29e06d37af36f9663a61f5a94fb9bb95fb891375b8395674f4d0245aca2acb7a',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[]','failed',2150,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'overloaded',NULL,NULL,'chat','[]',NULL,NULL,'','[]','[]');
INSERT INTO "request" VALUES(4,'r4','chat-1',2,6,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','question-3',3,1,'2026-11-30T10:04:00.000000+00:00','api.anthropic.com','claude-opus-5-5','ac1e0423b4c91e798ff7bfd6fd3045daa9d9e75d2b94bad68351741572064064',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[["current",0,0,1]]','answered',NULL,30,0,0,2100,200,NULL,1,0,NULL,NULL,NULL,NULL,NULL,NULL,'memo','[]',NULL,NULL,'','[]','[]');
INSERT INTO "request" VALUES(5,'r5','deleted-1',NULL,0,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','forgotten-1',1,1,'2026-11-30T10:05:00.000000+00:00','api.anthropic.com','claude-opus-5-5','fc58a3f05015db57be3f9a14b97496adb28bf4976b74610f5dd2cab7dbcbd090',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[["current",0,0,1]]','answered',NULL,1000,0,0,0,100,NULL,1,0,NULL,NULL,NULL,NULL,NULL,NULL,'chat','[]',NULL,NULL,'','[]','[]');
INSERT INTO "request" VALUES(6,'r6','pretend-1',NULL,0,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','pretended-1',1,1,'2026-11-30T10:06:00.000000+00:00','127.0.0.1:1','claude-opus-5-5','3f51314759e78db6eab394bf6c956cbe5087955d803dc029f8ed0bdabc5b2586',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[["current",0,0,1]]','answered',NULL,7,0,0,0,8,NULL,1,0,NULL,NULL,NULL,NULL,NULL,NULL,'chat','[]',NULL,NULL,'','[]','[]');
INSERT INTO "request" VALUES(7,'r7','chat-1',NULL,0,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','turn',1,1,'2026-11-30T11:00:00.000000+00:00','127.0.0.1:1','claude-opus-5-5','a345f4cdb9ac5dd0f6162d510261f1e194e5bcda393c020814b616712d5847ba',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[["current",0,0,1]]','sent',NULL,1,2,3,4,5,NULL,1,0,NULL,NULL,NULL,NULL,NULL,'21775:1796054396.92:9137d49c','chat','[[1,"d",9,"5m","messages"]]','[4,2,3,1]',NULL,'0.4.0','[["compaction",6,0,0,0,7]]','[]');
CREATE TABLE request_block (
	request_number INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	slot INTEGER NOT NULL, 
	role VARCHAR, 
	block_id VARCHAR, segment VARCHAR, 
	PRIMARY KEY (request_number, position), 
	FOREIGN KEY(request_number) REFERENCES request (number) ON DELETE CASCADE, 
	FOREIGN KEY(block_id) REFERENCES block (id)
)
 WITHOUT ROWID

;
INSERT INTO "request_block" VALUES(1,0,-2,NULL,'6b95142e79aa4efd863060afd3917a80',NULL);
INSERT INTO "request_block" VALUES(1,1,-1,NULL,'c0e423d6a2294a5f9aa4f2bac4196ceb',NULL);
INSERT INTO "request_block" VALUES(1,2,0,'user','dc862a2f8345433892c0eab70165ec6d',NULL);
INSERT INTO "request_block" VALUES(2,1,-1,NULL,'4d410c3b95964556b4e1423421e9191c',NULL);
INSERT INTO "request_block" VALUES(2,2,0,'user','dc862a2f8345433892c0eab70165ec6d',NULL);
INSERT INTO "request_block" VALUES(2,3,1,'assistant','d20d44d576d44dff9a0feb6147e00c75',NULL);
INSERT INTO "request_block" VALUES(2,4,1,'assistant','db627c99c4e4470d984a28c661eb8246',NULL);
INSERT INTO "request_block" VALUES(2,5,2,'user','84e4d3b000f74044a4cf7811b72368b6',NULL);
INSERT INTO "request_block" VALUES(3,6,3,'assistant','3093ef3f664f4f3aae4702749c6aa3f4',NULL);
INSERT INTO "request_block" VALUES(3,7,4,'user','90f12441bf844e109109ba2422af8cce','recalled');
INSERT INTO "request_block" VALUES(5,0,-1,NULL,'8c6bdac4fea74a60978ed783c58ff324',NULL);
INSERT INTO "request_block" VALUES(5,1,0,'user','91362d2723b54c5088ab457da6b085f9',NULL);
INSERT INTO "request_block" VALUES(6,0,-1,NULL,'8c6bdac4fea74a60978ed783c58ff324',NULL);
INSERT INTO "request_block" VALUES(6,1,0,'user','94b8791969604f98808146ccd424be23',NULL);
INSERT INTO "request_block" VALUES(7,0,-1,NULL,'8c6bdac4fea74a60978ed783c58ff324',NULL);
INSERT INTO "request_block" VALUES(7,1,0,'user','dc862a2f8345433892c0eab70165ec6d',NULL);
INSERT INTO "request_block" VALUES(7,2,1,'assistant','d20d44d576d44dff9a0feb6147e00c75',NULL);
INSERT INTO "request_block" VALUES(7,3,1,'assistant','db627c99c4e4470d984a28c661eb8246',NULL);
INSERT INTO "request_block" VALUES(7,4,2,'user','84e4d3b000f74044a4cf7811b72368b6',NULL);
INSERT INTO "request_block" VALUES(7,5,3,'assistant','3093ef3f664f4f3aae4702749c6aa3f4',NULL);
INSERT INTO "request_block" VALUES(7,6,4,'user','90f12441bf844e109109ba2422af8cce',NULL);
INSERT INTO "request_block" VALUES(7,7,5,'assistant','94c27fc8db78433b8b1b99b71248ab3a',NULL);
INSERT INTO "request_block" VALUES(7,8,5,'assistant','b4be35227f3b4cf798b178ca9d6e3f78',NULL);
INSERT INTO "request_block" VALUES(7,9,5,'assistant','23c8ef423cdb4af98b23f3dbcc213b62',NULL);
INSERT INTO "request_block" VALUES(7,10,6,'user','eacbf9bd64fd4a60bcb252985b09b706',NULL);
INSERT INTO "request_block" VALUES(7,11,7,'assistant','4e846d26fa1d4279bca5a128d35b1427',NULL);
INSERT INTO "request_block" VALUES(7,12,8,'user','a33da1ef2a8f41eeb01a4e269e8d3da9',NULL);
CREATE TABLE spent_request (
	id VARCHAR NOT NULL, 
	profile VARCHAR NOT NULL, 
	conversation_id VARCHAR NOT NULL, 
	turn_id VARCHAR NOT NULL, 
	turn INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	sent_at TEXT NOT NULL, 
	host VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	answered_by VARCHAR, 
	purpose VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	error VARCHAR, 
	simulated BOOLEAN NOT NULL, 
	estimated INTEGER NOT NULL, 
	counted INTEGER, 
	uncached INTEGER, 
	write_5m INTEGER, 
	write_1h INTEGER, 
	read INTEGER, 
	output INTEGER, 
	thinking INTEGER, 
	split_known BOOLEAN, 
	output_estimated BOOLEAN, 
	predicted TEXT, 
	sides TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX ix_conversation_list ON conversation (profile, updated_at);
CREATE INDEX ix_import_source_conversation_id ON import_source (conversation_id);
CREATE INDEX ix_message_conversation_id ON message (conversation_id);
CREATE INDEX ix_message_parent_id ON message (parent_id);
CREATE INDEX ix_message_owner ON message (owner) WHERE owner IS NOT NULL;
CREATE INDEX ix_message_block_block_id ON message_block (block_id);
CREATE INDEX ix_request_base ON request (base);
CREATE INDEX ix_request_owner ON request (owner) WHERE owner IS NOT NULL;
CREATE INDEX ix_request_digest ON request (conversation_id, digest);
CREATE INDEX ix_request_block_block_id ON request_block (block_id);
CREATE INDEX ix_fact_key ON fact (profile, same_key);
CREATE UNIQUE INDEX ix_fact_active_key ON fact (profile, same_key) WHERE state = 'active';
CREATE INDEX ix_fact_deleted_at ON fact (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX ix_fact_change_fact_id ON fact_change (fact_id);
CREATE INDEX ix_owed_fact_id ON owed (fact_id);
CREATE INDEX ix_compaction_conversation_id ON compaction (conversation_id);
CREATE INDEX ix_request_sent_at ON request (sent_at);
CREATE INDEX ix_spent_request_sent_at ON spent_request (sent_at);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('fact_change',1);
INSERT INTO "sqlite_sequence" VALUES('fact',1);
INSERT INTO "sqlite_sequence" VALUES('owed',1);
INSERT INTO "sqlite_sequence" VALUES('message',12);
INSERT INTO "sqlite_sequence" VALUES('request',7);
INSERT INTO "sqlite_sequence" VALUES('compaction',2);
CREATE VIRTUAL TABLE fact_words USING fts5(words, tokenize = 'porter unicode61');
INSERT INTO fact_words (rowid, words) VALUES(1,'강아 아지 보리');
CREATE VIRTUAL TABLE message_words USING fts5(turn UNINDEXED, place UNINDEXED, words, tokenize = 'porter unicode61');
INSERT INTO message_words (rowid, turn, place, words) VALUES(1,1,1,'따옴 옴표 그리 리고 줄바 바꿈');
INSERT INTO message_words (rowid, turn, place, words) VALUES(2,1,2,'an answer');
INSERT INTO message_words (rowid, turn, place, words) VALUES(3,2,3,'second question');
INSERT INTO message_words (rowid, turn, place, words) VALUES(4,2,4,'a second answer');
INSERT INTO message_words (rowid, turn, place, words) VALUES(5,3,5,'third question');
INSERT INTO message_words (rowid, turn, place, words) VALUES(6,1,1,'soon forgotten');
INSERT INTO message_words (rowid, turn, place, words) VALUES(7,1,1,'pretended');
INSERT INTO message_words (rowid, turn, place, words) VALUES(8,3,6,'let me look srv 백업 b2 mn offsite log');
INSERT INTO message_words (rowid, turn, place, words) VALUES(9,3,7,'exit code 4711 log line log line log line');
INSERT INTO message_words (rowid, turn, place, words) VALUES(10,3,8,'복원 원은 2026 03 14 에 끝났 났습 습니 니다');
INSERT INTO message_words (rowid, turn, place, words) VALUES(11,4,9,'고마 마워 워요 보리 리랑 산책 책하 하고 올게 게요');
INSERT INTO message_words (rowid, turn, place, words) VALUES(12,4,10,'');
COMMIT;
PRAGMA user_version = 4;
