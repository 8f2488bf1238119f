BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE block (
	id VARCHAR NOT NULL, 
	hmac BLOB NOT NULL, 
	body TEXT NOT NULL, 
	tombstone TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (hmac)
);
INSERT INTO "block" VALUES('82e5e79cc38840a79d869eda1da2f2b6',X'6B3385E66C72C8BC2AAA846A6D24FF950A5AE394D5971290641B1B84768842EB','{"type":"text","text":"\"따옴표\" 그리고\n줄바꿈"}',NULL);
INSERT INTO "block" VALUES('c654756603a747c29faf88ca1878e3c4',X'94628D0356840DCB77D25DBAD22B0E566434365E5E70095783D5CF263A4C12A0','{"type":"thinking","thinking":"흠 …","signature":"Eo="}',NULL);
INSERT INTO "block" VALUES('dd3c69cadf8b46a896bb3ff58ee30ab9',X'CFC15CBB7F9612A007A1615727FBE05D6E0E3E4D484B663DF0A7EE6DB26F5EEF','{"type":"text","text":"an answer"}',NULL);
INSERT INTO "block" VALUES('7fc1d2bb678347eea59b4aca9036b4ac',X'FE4DBF0D57F0CA3B35C3291358834DCDBF6DBA29D59D31272D45040DC7C86AFB','{"type":"text","text":"second question"}',NULL);
INSERT INTO "block" VALUES('a998f0b3c87e4a1f819cf8b564cbf7d2',X'0627702F9B9ADD7DE78241C9758175BEA7594676FAEAC2DEBF4735C3C6BF1E44','{"name":"calculator"}',NULL);
INSERT INTO "block" VALUES('0e9e6bf4927f456da81509d70c418955',X'5CD4CA3158A2502C28A541DE3D30BE91A8BAA2F7F4C461470FBF6A40CE7C085A','{"type":"text","text":"be kind"}',NULL);
INSERT INTO "block" VALUES('932bcb01d5ad49168482dd02492006f0',X'097295329321836E4C84DA1192E781E6F784216BB52A92B4096DD04C0D090D7E','{"type":"text","text":"soon forgotten"}',NULL);
INSERT INTO "block" VALUES('83193be5191b43438d415c542849560c',X'E84C63E6A6C22E2F43C424DE1A6C206306FFF414ACC1F2CA66AB31BED99AB895','{"type":"text","text":"from an export"}',NULL);
CREATE TABLE calibration (
	model_key VARCHAR NOT NULL, 
	state TEXT NOT NULL, 
	PRIMARY KEY (model_key)
);
INSERT INTO "calibration" VALUES('api/m','{"features":["latin","words","digits","signs","breaks","hangul","han","other","thinking","image","message","tool","tools","system"],"weights":[0.17,0.35,0.5,0.7,0.5,0.8,1.0,1.3,0.25,1.0,4.0,25.0,320.0,4.0],"covariance":[[0.0025000000000000005,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.04000000000000001,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.04000000000000001,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0625,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.09,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0625,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.09,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.36,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0225,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.010000000000000002,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,4.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,625.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,25600.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,16.0]],"seen":0}');
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
INSERT INTO "conversation" VALUES('chat-1','default','보리와 산책','2026-11-30T10:12:19.148794+00:00','2026-11-30T10:12:19.165224+00:00','question-2','second question',0,0,NULL,NULL);
INSERT INTO "conversation" VALUES('deleted-1','work','gone','2026-11-30T10:12:19.190220+00:00','2026-11-30T10:12:19.193042+00:00','forgotten-1','soon forgotten',0,1,NULL,'2999-01-01T00:00:00.000000+00:00');
INSERT INTO "conversation" VALUES('imported-1','default','old export',NULL,NULL,'exported-1','from an export',1,0,NULL,NULL);
CREATE TABLE epoch (
	conversation_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	endpoint VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	system TEXT NOT NULL, 
	tools TEXT NOT NULL, 
	PRIMARY KEY (conversation_id, number), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
INSERT INTO "epoch" VALUES('chat-1',0,'api','m','be kind','[{"name":"calculator"}]');
CREATE TABLE import_source (
	profile VARCHAR NOT NULL, 
	source_id VARCHAR NOT NULL, 
	conversation_id VARCHAR, 
	PRIMARY KEY (profile, source_id), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id) ON DELETE SET NULL
);
INSERT INTO "import_source" VALUES('default','s1','imported-1');
CREATE TABLE install (
	id INTEGER NOT NULL, 
	block_key BLOB NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "install" VALUES(1,X'866FC3A4A83ED2C3077BD47456AEB971AE7D23375269ADC1D8BB08E9F6623967');
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
INSERT INTO "message" VALUES(1,'question-1','chat-1',NULL,'user','typed','complete','2026-11-30T10:12:19.154900+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(2,'answer-1','chat-1','question-1','assistant','reply','complete','2026-11-30T10:12:19.161277+00:00','m',0,'r1','end_turn',1.25,NULL,NULL,NULL);
INSERT INTO "message" VALUES(3,'question-2','chat-1','answer-1','user','typed','complete','2026-11-30T10:12:19.164308+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(4,'forgotten-1','deleted-1',NULL,'user','typed','complete','2026-11-30T10:12:19.192078+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(5,'exported-1','imported-1',NULL,'user','typed','complete',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'m1','a92acbaa99cfb285e9fdfb06c205cadba7fe3bf62b63d6dd5b392e1123d95969');
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
INSERT INTO "message_block" VALUES(3,0,'7fc1d2bb678347eea59b4aca9036b4ac');
INSERT INTO "message_block" VALUES(1,0,'82e5e79cc38840a79d869eda1da2f2b6');
INSERT INTO "message_block" VALUES(5,0,'83193be5191b43438d415c542849560c');
INSERT INTO "message_block" VALUES(4,0,'932bcb01d5ad49168482dd02492006f0');
INSERT INTO "message_block" VALUES(2,0,'c654756603a747c29faf88ca1878e3c4');
INSERT INTO "message_block" VALUES(2,1,'dd3c69cadf8b46a896bb3ff58ee30ab9');
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
	owner VARCHAR, 
	UNIQUE (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id) ON DELETE CASCADE, 
	FOREIGN KEY(base) REFERENCES request (number)
);
INSERT INTO "request" VALUES(1,'r1','chat-1',NULL,0,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','question-1',1,1,'2026-11-30T10:12:19.169513+00:00','127.0.0.1:1','claude-opus-5-5','fae8eb92e236d97ab89f6b6ede6a322bb88cfc431bdf72615780a13d529952d6',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[["current",0,0,1]]','answered',NULL,1,2,3,4,5,6,1,0,NULL,'end_turn',NULL,NULL,0.5,NULL);
INSERT INTO "request" VALUES(2,'r2','chat-1',1,3,'{"model":"claude-opus-5-5","max_tokens":100,"stream":true}','[]','[]','question-2',2,1,'2026-11-30T10:12:19.177686+00:00','127.0.0.1:1','claude-opus-5-5','38d35e052b1dab23bd8059ffd584adf1b4f4cb01f17ba10c23c7986c5378643c',100,200000,41,'[["system",11,"estimated"],["current",30,"counted"]]','[["current",2,0,1]]','failed',90,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'overloaded',NULL,NULL);
CREATE TABLE request_block (
	request_number INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	slot INTEGER NOT NULL, 
	role VARCHAR, 
	block_id VARCHAR, 
	PRIMARY KEY (request_number, position), 
	FOREIGN KEY(request_number) REFERENCES request (number) ON DELETE CASCADE, 
	FOREIGN KEY(block_id) REFERENCES block (id)
)
 WITHOUT ROWID

;
INSERT INTO "request_block" VALUES(1,0,-2,NULL,'a998f0b3c87e4a1f819cf8b564cbf7d2');
INSERT INTO "request_block" VALUES(1,1,-1,NULL,'0e9e6bf4927f456da81509d70c418955');
INSERT INTO "request_block" VALUES(1,2,0,'user','82e5e79cc38840a79d869eda1da2f2b6');
INSERT INTO "request_block" VALUES(2,3,1,'assistant','c654756603a747c29faf88ca1878e3c4');
INSERT INTO "request_block" VALUES(2,4,1,'assistant','dd3c69cadf8b46a896bb3ff58ee30ab9');
INSERT INTO "request_block" VALUES(2,5,2,'user','7fc1d2bb678347eea59b4aca9036b4ac');
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
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('message',5);
INSERT INTO "sqlite_sequence" VALUES('request',2);
COMMIT;
PRAGMA user_version = 1;
